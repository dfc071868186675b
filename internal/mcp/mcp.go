// Package mcp reads a live MCP server's listing over stdio or Streamable HTTP.
//
// # Bytes, not types
//
// A typed client is no witness: it drops tools that it finds invalid and loses
// the fields that it does not know. So the session (initialisation, framing,
// headers) is the official SDK's, and beside it runs a recorder that sees every
// message on the wire. What is kept are the recorded bytes of the answers to our
// own tools/list requests; the SDK's idea of them is thrown away.
//
// # Capabilities
//
// Some servers list other tools to other clients. This client advertises no
// capability at all, and what it advertised is recorded with the listing.
package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/countersign/countersign/review/surface"
)

// Limits bound what a server can make its reader do.
type Limits struct {
	Pages   int           // answers to tools/list that are followed; default 100
	Bytes   int           // of all recorded answers together; default 8 MiB
	Timeout time.Duration // for the whole reading; default one minute
}

func (l Limits) orDefault() Limits {
	if l.Pages == 0 {
		l.Pages = 100
	}
	if l.Bytes == 0 {
		l.Bytes = 8 << 20
	}
	if l.Timeout == 0 {
		l.Timeout = time.Minute
	}
	return l
}

// Live is what a server answered.
type Live struct {
	ProtocolVersion string
	ServerInfo      jsontext.Value   // null when it sent none
	Capabilities    jsontext.Value   // the server's; null when it sent none
	Instructions    jsontext.Value   // its text as JSON; null when it sent none
	Results         []jsontext.Value // the result of each tools/list page, bytes as received
	Complete        bool             // the last page named no further one
}

// Stdio starts a command and reads the listing of the server that it runs. The
// command is started as it is, without a shell; it is ended again before Stdio
// returns. Its standard error is shown in the error when it fails.
func Stdio(ctx context.Context, argv []string, limits Limits) (*Live, error) {
	if len(argv) == 0 {
		return nil, errors.New("no command given: name the server's program, such as --stdio 'node server.js'")
	}
	limits = limits.orDefault()
	ctx, cancel := context.WithTimeout(ctx, limits.Timeout)
	defer cancel()
	rec := newRecorder(limits.Bytes)
	t := &stdioTransport{argv: argv, rec: rec}
	live, err := read(ctx, t, rec, limits)
	if err != nil {
		return nil, fmt.Errorf("%s: %w%s", argv[0], err, t.lastWords())
	}
	return live, nil
}

// HTTP reads the listing of a server at a Streamable HTTP address. The headers
// are sent with every request. Redirects to another origin and addresses that
// guard refuses are errors.
func HTTP(ctx context.Context, url string, header http.Header, guard Guard, limits Limits) (*Live, error) {
	limits = limits.orDefault()
	ctx, cancel := context.WithTimeout(ctx, limits.Timeout)
	defer cancel()
	rec := newRecorder(limits.Bytes)
	t := &sdk.StreamableClientTransport{
		Endpoint:             url,
		HTTPClient:           newHTTPClient(rec, header, guard),
		MaxRetries:           -1,
		DisableStandaloneSSE: true,
	}
	live, err := read(ctx, t, rec, limits)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", url, err)
	}
	return live, nil
}

// read runs a session from the first message to the last page.
func read(ctx context.Context, t sdk.Transport, rec *recorder, limits Limits) (*Live, error) {
	client := sdk.NewClient(
		&sdk.Implementation{Name: "countersign", Version: "1"},
		&sdk.ClientOptions{Capabilities: &sdk.ClientCapabilities{}})
	session, err := client.Connect(ctx, t, nil)
	if err != nil {
		return nil, rec.explain(ctx, fmt.Errorf("the session could not be opened: %w", err))
	}
	defer session.Close()
	live, err := opening(rec)
	if err != nil {
		return nil, err
	}
	if v := session.InitializeResult(); v != nil && live.ProtocolVersion == "" {
		live.ProtocolVersion = v.ProtocolVersion
	}
	if err := live.follow(ctx, session, rec, limits); err != nil {
		return nil, err
	}
	return live, nil
}

// opening takes what the server said of itself from the recorded answer.
func opening(rec *recorder) (*Live, error) {
	live := &Live{}
	raw := rec.answer("initialize")
	if raw == nil || raw.failure != nil {
		raw = rec.answer("server/discover")
	}
	if raw == nil || raw.failure != nil {
		return nil, errors.New("the server never answered the initialisation")
	}
	fields, err := members(raw.result)
	if err != nil {
		return nil, fmt.Errorf("the answer to the initialisation is no object: %w", err)
	}
	live.ServerInfo = fields["serverInfo"]
	live.Capabilities = fields["capabilities"]
	live.Instructions = fields["instructions"]
	if v, ok := fields["protocolVersion"]; ok {
		// Not a string: left empty, the listing's reader says so if it matters.
		_ = json.Unmarshal(v, &live.ProtocolVersion)
	}
	return live, nil
}

// follow asks for page after page, and keeps the recorded bytes of each.
func (l *Live) follow(ctx context.Context, session *sdk.ClientSession, rec *recorder, limits Limits) error {
	seen := map[string]bool{}
	params := &sdk.ListToolsParams{}
	for len(l.Results) < limits.Pages {
		// The SDK's own error does not matter where the server's answer was
		// recorded: a listing that it can't type is what we are here to show.
		_, err := session.ListTools(ctx, params)
		raw := rec.takeAnswer("tools/list")
		switch {
		case raw == nil:
			return rec.explain(ctx, fmt.Errorf("tools/list was not answered: %w", orClosed(err)))
		case raw.failure != nil:
			return fmt.Errorf("the server refused tools/list: %s", raw.failure)
		}
		l.Results = append(l.Results, raw.result)
		cursor, more := nextCursor(raw.result)
		if !more {
			l.Complete = true
			return nil
		}
		// The SDK leaves an empty cursor out, which would ask for the first page
		// again; a repeated one would never end.
		if cursor == "" || seen[cursor] {
			return nil
		}
		seen[cursor] = true
		params.Cursor = cursor
	}
	return nil
}

func orClosed(err error) error {
	if err == nil {
		return errors.New("the connection was closed")
	}
	return err
}

// nextCursor returns the cursor of a further page, "" included.
func nextCursor(result jsontext.Value) (cursor string, more bool) {
	fields, err := members(result)
	if err != nil {
		return "", false
	}
	raw, ok := fields["nextCursor"]
	if !ok || raw.Kind() == 'n' {
		return "", false
	}
	_ = json.Unmarshal(raw, &cursor)
	return cursor, true
}

// members splits an object into its fields, first one of a name; the bytes of
// each are the object's own.
func members(object jsontext.Value) (map[string]jsontext.Value, error) {
	dec := lenient(object)
	tok, err := dec.ReadToken()
	if err != nil {
		return nil, err
	}
	if tok.Kind() != '{' {
		return nil, fmt.Errorf("want an object, got %q", object[:min(len(object), 40)])
	}
	fields := map[string]jsontext.Value{}
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, err
		}
		key := name.String()
		value, err := dec.ReadValue()
		if err != nil {
			return nil, err
		}
		if _, taken := fields[key]; !taken {
			fields[key] = bytes.Clone(value)
		}
	}
	return fields, nil
}

// lenient reads JSON whose faults are for the listing's reader to report.
func lenient(b []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewReader(b), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// Text writes the whole as one listing that package surface reads: what the
// server said of itself, what this client declared, and the results as they came.
func (l *Live) Text() []byte {
	instructions := surface.Instructions{Asked: true}
	if len(l.Instructions) > 0 && l.Instructions.Kind() == '"' {
		instructions.Present = true
		instructions.Text, _ = surface.DecodeString(l.Instructions)
	}
	return surface.Envelope{
		ProtocolVersion: l.ProtocolVersion,
		ServerInfo:      l.ServerInfo,
		Capabilities:    l.Capabilities,
		Instructions:    instructions,
		Client:          jsontext.Value(`{"capabilities":{}}`),
		Results:         l.Results,
	}.Encode()
}

// Raw writes the results of tools/list as they came: one, or an array of pages.
func (l *Live) Raw() []byte {
	if len(l.Results) == 1 {
		return append(bytes.Clone(l.Results[0]), '\n')
	}
	pages := make([][]byte, len(l.Results))
	for i, r := range l.Results {
		pages[i] = r
	}
	joined := bytes.Join(pages, []byte(",\n"))
	return append(append([]byte{'['}, joined...), ']', '\n')
}
