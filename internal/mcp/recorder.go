package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// errTooMuch ends a reading whose server sends more than the limit.
var errTooMuch = errors.New("the server sent more bytes than a listing may have")

// answer is a recorded response to one of our own requests.
type answer struct {
	result  jsontext.Value
	failure error // the server's error object, as a sentence
}

// recorder sees every message in both directions. It pairs responses with our
// requests by id, so that whatever else a server sends is never taken for an
// answer.
type recorder struct {
	mu      sync.Mutex
	left    int               // bytes that may still be recorded
	asked   map[string]string // id -> method of our requests
	answers map[string]*answer
	fault   error
}

func newRecorder(limit int) *recorder {
	return &recorder{left: limit, asked: map[string]string{}, answers: map[string]*answer{}}
}

// answer returns the newest answer to a method.
func (r *recorder) answer(method string) *answer {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.answers[method]
}

// takeAnswer returns and forgets it.
func (r *recorder) takeAnswer(method string) *answer {
	r.mu.Lock()
	defer r.mu.Unlock()
	a := r.answers[method]
	delete(r.answers, method)
	return a
}

// explain prefers the reason that the recorder knows over its consequence.
func (r *recorder) explain(ctx context.Context, err error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fault != nil {
		return r.fault
	}
	if ctx.Err() != nil {
		return fmt.Errorf("no answer in time: %w", ctx.Err())
	}
	return err
}

// spend counts received bytes and says when the limit is reached.
func (r *recorder) spend(n int) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.left -= n
	if r.left < 0 {
		r.fault = errTooMuch
	}
	return r.fault
}

// sent records a message of ours.
func (r *recorder) sent(message []byte) {
	for _, m := range messages(message) {
		fields, err := members(m)
		if err != nil || fields["method"] == nil || fields["id"] == nil {
			continue
		}
		var method string
		if json.Unmarshal(fields["method"], &method) == nil {
			r.mu.Lock()
			r.asked[string(fields["id"])] = method
			r.mu.Unlock()
		}
	}
}

// received records a message of the server's.
func (r *recorder) received(message []byte) {
	for _, m := range messages(message) {
		fields, err := members(m)
		if err != nil || fields["id"] == nil {
			continue
		}
		a := &answer{result: fields["result"]}
		if a.result == nil {
			if fields["error"] == nil {
				continue
			}
			a.failure = serverError(fields["error"])
		}
		r.mu.Lock()
		if method, ours := r.asked[string(fields["id"])]; ours {
			r.answers[method] = a
		}
		r.mu.Unlock()
	}
}

// messages splits a batch; anything else is one message.
func messages(b []byte) []jsontext.Value {
	b = bytes.TrimSpace(b)
	if len(b) == 0 || b[0] != '[' {
		return []jsontext.Value{b}
	}
	dec := lenient(b)
	if _, err := dec.ReadToken(); err != nil {
		return nil
	}
	var all []jsontext.Value
	for dec.PeekKind() != ']' {
		v, err := dec.ReadValue()
		if err != nil {
			return all
		}
		all = append(all, bytes.Clone(v))
	}
	return all
}

// serverError words a JSON-RPC error object.
func serverError(raw jsontext.Value) error {
	var e struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
	if err := json.Unmarshal(raw, &e); err != nil {
		return fmt.Errorf("%.200q", raw)
	}
	return fmt.Errorf("%q (code %d)", e.Message, e.Code)
}
