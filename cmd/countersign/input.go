package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"github.com/countersign/countersign/internal/mcp"
	"github.com/countersign/countersign/review/surface"
)

// maxInput bounds what is read from anywhere, a little above what a listing may
// have, so that the reader can say that it is too large.
const maxInput = 16 << 20

// input is what stands behind a FILE argument: one text, or a folder's files.
type input struct {
	name  string
	body  []byte
	files []surface.File
}

// listing reads the input as a listing. A refusal names the input and the place.
func (in *input) listing(opt surface.Options) (*surface.Listing, error) {
	var l *surface.Listing
	var err error
	if in.files != nil {
		l, err = surface.ReadFolder(in.files, opt)
	} else {
		l, err = surface.Read(in.body, opt)
	}
	if err != nil {
		return nil, in.refused(err)
	}
	return l, nil
}

// request reads the input as a provider request. Most of such a text is of others, so
// a refusal says the place and repeats nothing of it.
func (in *input) request(of *surface.Known) (*surface.Listing, error) {
	if in.files != nil {
		return nil, fmt.Errorf("%s is a folder: give the file that holds the request, as the host posted it", in.name)
	}
	l, err := surface.Read(in.body, surface.Options{Of: of})
	var refused *surface.ReadError
	if errors.As(err, &refused) {
		return nil, in.refused(refused.Unquoted())
	}
	return l, err
}

// refused puts the input's name before a refusal: "FILE:812:5: …" where a place in
// it is known.
func (in *input) refused(err error) error {
	var e *surface.ReadError
	if errors.As(err, &e) && in.files == nil && len(e.Problems) > 0 && e.Problems[0].Line > 0 {
		return fmt.Errorf("%s:%w", in.name, err)
	}
	return fmt.Errorf("%s: %w", in.name, err)
}

// open resolves a FILE argument: "-", a file, a folder of one-tool files,
// stdio:CMD, http(s)://…, or git:REF:PATH.
func (e *env) open(arg string) (*input, error) {
	switch {
	case arg == "-":
		body, err := readAll(e.stdin)
		return &input{name: "standard input", body: body}, err
	case strings.HasPrefix(arg, "stdio:"):
		return e.live(source{Stdio: strings.TrimPrefix(arg, "stdio:")})
	case strings.HasPrefix(arg, "http://"), strings.HasPrefix(arg, "https://"):
		return e.live(source{URL: arg})
	case strings.HasPrefix(arg, "git:"):
		return fromGit(e.ctx, strings.TrimPrefix(arg, "git:"))
	}
	info, err := os.Stat(arg)
	if err != nil {
		return nil, noFile(arg, err)
	}
	if info.IsDir() {
		return fromFolder(arg)
	}
	f, err := os.Open(arg)
	if err != nil {
		return nil, noFile(arg, err)
	}
	defer f.Close()
	body, err := readAll(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", arg, err)
	}
	return &input{name: arg, body: body}, nil
}

// noFile words what the system says of a file that can't be opened.
func noFile(name string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: no such file or folder: check the path, or give - for standard input", name)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s: it may not be read by this user", name)
	}
	return err
}

// listing opens a FILE argument and reads it.
func (e *env) listing(arg string) (*surface.Listing, error) {
	in, err := e.open(arg)
	if err != nil {
		return nil, err
	}
	return in.listing(surface.Options{})
}

// base opens a FILE argument that something is compared with. What a host sent and
// what describes a server are none: their gaps would pass for changes.
func (e *env) base(arg string) (*surface.Listing, error) {
	l, err := e.listing(arg)
	switch {
	case err != nil:
		return nil, err
	case l.Kind == surface.KindCapture:
		return nil, fmt.Errorf("%s is a capture, what a host sent to its provider, and never a base: hold it against the listing with `countersign captured`", arg)
	case l.Kind == surface.KindMetadata:
		return nil, fmt.Errorf("%s describes a server and lists no tools, so nothing can be compared with it: give the listing, such as what `countersign pull` prints", arg)
	}
	return l, nil
}

// stream opens a file to be read line by line; "-" is standard input.
func (e *env) stream(arg string) (io.ReadCloser, error) {
	if arg == "-" {
		return io.NopCloser(e.stdin), nil
	}
	f, err := os.Open(arg)
	if err != nil {
		return nil, noFile(arg, err)
	}
	return f, nil
}

// readAll reads to the end, and unpacks what is packed with gzip, as the webhook
// takes it.
func readAll(r io.Reader) ([]byte, error) {
	b, err := readBounded(r)
	if err != nil || !bytes.HasPrefix(b, []byte("\x1f\x8b")) {
		return b, err
	}
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, fmt.Errorf("damaged gzip data: %w", err)
	}
	if b, err = readBounded(z); err != nil && !errors.Is(err, errTooLarge) {
		return nil, fmt.Errorf("damaged gzip data: %w", err)
	}
	return b, err
}

func readBounded(r io.Reader) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxInput+1))
	if err == nil && len(b) > maxInput {
		return nil, errTooLarge
	}
	return b, err
}

var errTooLarge = fmt.Errorf("more than %d MiB: a listing may have 8. Give the answer of tools/list alone", maxInput>>20)

// source is where a live server is.
type source struct {
	Stdio  string
	URL    string
	Header http.Header
}

// live reads a running server. What can't be reached is "can't tell".
func (e *env) live(s source) (*input, error) {
	live, err := e.pull(s)
	if err != nil {
		return nil, err
	}
	name := s.URL
	if name == "" {
		name = s.Stdio
	}
	return &input{name: name, body: live.Text()}, nil
}

func (e *env) pull(s source) (*mcp.Live, error) {
	if s.URL != "" {
		live, err := mcp.HTTP(e.ctx, s.URL, s.Header, mcp.OwnMachine, mcp.Limits{})
		if err != nil {
			return nil, unsure{err}
		}
		return live, nil
	}
	argv, err := mcp.SplitCommand(s.Stdio)
	if err != nil {
		return nil, err
	}
	live, err := mcp.Stdio(e.ctx, argv, mcp.Limits{})
	if err != nil {
		return nil, unsure{err}
	}
	return live, nil
}

// fromFolder reads the files of a folder, not those below it, nor hidden ones.
func fromFolder(dir string) (*input, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	in := &input{name: dir, files: []surface.File{}}
	for _, e := range entries {
		name := filepath.Join(dir, e.Name())
		if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() || hidden(e.Name()) {
			continue
		}
		body, err := readTool(name)
		if err != nil {
			return nil, err
		}
		in.files = append(in.files, surface.File{Name: e.Name(), Data: body})
	}
	return in, nil
}

func hidden(name string) bool { return strings.HasPrefix(name, ".") }

// readTool reads a file of a folder; of one that holds no tool only the beginning,
// whatever its size.
func readTool(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, 512)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if !surface.MayHoldTool(name, head[:n]) {
		return head[:n], nil
	}
	body, err := readAll(io.MultiReader(bytes.NewReader(head[:n]), f))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return body, nil
}

// fromGit reads REF:PATH of the repository in the working folder; a path that is
// a folder gives its files, as fromFolder does.
func fromGit(ctx context.Context, spec string) (*input, error) {
	ref, file, ok := strings.Cut(spec, ":")
	if !ok || ref == "" || strings.HasPrefix(ref, "-") {
		return nil, fmt.Errorf("git:%s: want git:REF:PATH, such as git:v1.2.0:surface.json", spec)
	}
	kind, err := git(ctx, "cat-file", "-t", ref+":"+file)
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(string(kind)) != "tree" {
		body, err := git(ctx, "cat-file", "blob", ref+":"+file)
		return &input{name: "git:" + spec, body: body}, err
	}
	entries, err := git(ctx, "ls-tree", "-z", ref+":"+file)
	if err != nil {
		return nil, err
	}
	in := &input{name: "git:" + spec, files: []surface.File{}}
	for entry := range strings.SplitSeq(strings.TrimSuffix(string(entries), "\x00"), "\x00") {
		about, name, _ := strings.Cut(entry, "\t") // "100644 blob HASH", the name
		if !strings.Contains(about, " blob ") || strings.HasPrefix(about, "120000") || hidden(name) {
			continue
		}
		body, err := git(ctx, "cat-file", "blob", ref+":"+path.Join(file, name))
		if err != nil {
			return nil, err
		}
		in.files = append(in.files, surface.File{Name: name, Data: body})
	}
	return in, nil
}

func git(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		if said := strings.TrimSpace(stderr.String()); said != "" {
			err = errors.New(said)
		}
		return nil, fmt.Errorf("git %s: %w", strings.Join(args, " "), err)
	}
	return out, nil
}
