package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// stdioTransport starts the command and lets the recorder see both pipes.
type stdioTransport struct {
	argv   []string
	rec    *recorder
	stderr tail
}

// Connect starts the command.
func (t *stdioTransport) Connect(ctx context.Context) (sdk.Connection, error) {
	cmd := exec.Command(t.argv[0], t.argv[1:]...)
	cmd.Stderr = &t.stderr
	// A grandchild that keeps the pipe open must not hold us up.
	cmd.WaitDelay = 2 * time.Second
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("can't start it: %w", err)
	}
	p := &process{cmd: cmd, in: in}
	io := &sdk.IOTransport{
		Reader:        newTeeReader(out, t.rec, p.stop),
		Writer:        &teeWriter{WriteCloser: in, lines: lines{emit: t.rec.sent}},
		MaxLineLength: t.rec.left + 1<<20, // the recorder's limit speaks first
	}
	return io.Connect(ctx)
}

// lastWords quotes the last lines of the command's standard error, in one line.
func (t *stdioTransport) lastWords() string {
	var said []string
	for line := range strings.Lines(t.stderr.String()) {
		if line = strings.TrimSpace(line); line != "" {
			said = append(said, line)
		}
	}
	if said == nil {
		return ""
	}
	return "; its standard error ended with: " + strings.Join(said[max(0, len(said)-lastLines):], " | ")
}

const lastLines = 5

// process is the running command.
type process struct {
	cmd  *exec.Cmd
	in   io.Closer
	once sync.Once
}

// stop ends the command: first politely by the end of its input, as the protocol
// says, then by force.
func (p *process) stop() {
	p.once.Do(func() {
		_ = p.in.Close()
		done := make(chan struct{})
		go func() { _ = p.cmd.Wait(); close(done) }()
		select {
		case <-done:
		case <-time.After(2 * time.Second):
			_ = p.cmd.Process.Kill()
			<-done
		}
	})
}

// lines cuts a stream into lines, keeping what is not yet ended.
type lines struct {
	emit func([]byte)
	rest []byte
}

func (l *lines) feed(b []byte) {
	for {
		head, tail, ended := bytes.Cut(b, []byte{'\n'})
		l.rest = append(l.rest, head...)
		if !ended {
			return
		}
		l.emit(l.rest)
		l.rest = nil
		b = tail
	}
}

// teeReader hands on whole lines, each after it was recorded. A message is
// complete to a JSON decoder before its newline has come, and many programs write
// the two apart: the session would go on while its recorder still waits.
type teeReader struct {
	io.ReadCloser
	rec   *recorder
	done  func()
	lines lines
	ready []byte // recorded, not yet read
	buf   []byte
	err   error // what comes after ready
}

func newTeeReader(out io.ReadCloser, rec *recorder, done func()) *teeReader {
	t := &teeReader{ReadCloser: out, rec: rec, done: done, buf: make([]byte, 32<<10)}
	t.lines.emit = func(line []byte) {
		rec.received(line)
		t.ready = append(append(t.ready, line...), '\n')
	}
	return t
}

func (t *teeReader) Read(b []byte) (int, error) {
	for len(t.ready) == 0 && t.err == nil {
		t.fill()
	}
	if len(t.ready) == 0 {
		return 0, t.err
	}
	n := copy(b, t.ready)
	t.ready = t.ready[n:]
	return n, nil
}

// fill takes in what the command wrote meanwhile.
func (t *teeReader) fill() {
	n, err := t.ReadCloser.Read(t.buf)
	if over := t.rec.spend(n); over != nil {
		t.ready, t.err = nil, over
		return
	}
	t.lines.feed(t.buf[:n])
	if err != nil && len(t.lines.rest) > 0 { // the last line of a program that ended
		t.lines.feed([]byte{'\n'})
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = fmt.Errorf("reading from the command: %w", err)
	}
	t.err = err
}

func (t *teeReader) Close() error {
	t.done()
	return t.ReadCloser.Close()
}

type teeWriter struct {
	io.WriteCloser
	lines lines
}

func (t *teeWriter) Write(b []byte) (int, error) {
	t.lines.feed(b)
	return t.WriteCloser.Write(b)
}

// tail keeps the last bytes that were written to it.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

const tailBytes = 2000

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, b...)
	if over := len(t.buf) - tailBytes; over > 0 {
		t.buf = append([]byte(nil), t.buf[over:]...)
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.buf)
}

// SplitCommand splits a command line into its words, without any shell: quotes
// group, a backslash escapes the next character outside single quotes, nothing
// is expanded.
func SplitCommand(s string) ([]string, error) {
	var words []string
	var word strings.Builder
	var quote rune
	started, escaped := false, false
	for _, c := range s {
		switch {
		case escaped:
			word.WriteRune(c)
			escaped = false
		case c == '\\' && quote != '\'':
			escaped, started = true, true
		case quote != 0:
			if c == quote {
				quote = 0
			} else {
				word.WriteRune(c)
			}
		case c == '\'' || c == '"':
			quote, started = c, true
		case c == ' ' || c == '\t' || c == '\n':
			if started {
				words = append(words, word.String())
				word.Reset()
				started = false
			}
		default:
			word.WriteRune(c)
			started = true
		}
	}
	if quote != 0 || escaped {
		return nil, fmt.Errorf("the command %q ends inside a quotation: close it", s)
	}
	if started {
		words = append(words, word.String())
	}
	if len(words) == 0 {
		return nil, errors.New("the command is empty: name the server's program, such as 'node server.js'")
	}
	return words, nil
}
