package review

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/countersign/countersign/review/surface"
)

// Suggestion is a text that a comment proposes for the place of its thread. When a
// later push has it there, the thread says so; a person resolves it.
type Suggestion struct {
	Old string // what stood there
	New string
}

// JSONPatch is the suggestion for a program (RFC 6902), against the answer to
// tools/list: it tests that the old text stands there before it replaces it.
// position counts from 1; 0 is the instructions.
func (s *Suggestion) JSONPatch(position int, pointer string) ([]byte, error) {
	at := pointer
	if position > 0 {
		at = fmt.Sprintf("/tools/%d%s", position-1, pointer)
	}
	type step struct {
		Op    string          `json:"op"`
		Path  string          `json:"path"`
		Value json.RawMessage `json:"value"`
	}
	return json.Marshal([]step{
		{"test", at, json.RawMessage(surface.EncodeString(s.Old))},
		{"replace", at, json.RawMessage(surface.EncodeString(s.New))},
	})
}

// JSONPatch is the suggestion of a comment, from 0, against the listing that the
// place of the thread was looked up in; nil when the comment suggests nothing or
// its place is not there any more.
func (t *Thread) JSONPatch(comment int) []byte {
	s := t.Comments[comment].Suggests
	if s == nil || t.Place.State == "" || t.Place.Position < 0 {
		return nil
	}
	patch, err := s.JSONPatch(t.Place.Position, t.Anchor.Pointer)
	if err != nil {
		return nil
	}
	return patch
}

// Patch is the suggestion for a person: the lines of the old text and those of the
// new one, under the name of the place.
func (s *Suggestion) Patch(tool, pointer string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s%s\n+++ %s%s\n", visible(tool), pointer, visible(tool), pointer)
	old, new := strings.Split(s.Old, "\n"), strings.Split(s.New, "\n")
	fmt.Fprintf(&b, "@@ -1,%d +1,%d @@\n", len(old), len(new))
	lead := 0
	for lead < len(old) && lead < len(new) && old[lead] == new[lead] {
		fmt.Fprintf(&b, " %s\n", old[lead])
		lead++
	}
	tail := 0
	for tail < len(old)-lead && tail < len(new)-lead && old[len(old)-1-tail] == new[len(new)-1-tail] {
		tail++
	}
	for _, line := range old[lead : len(old)-tail] {
		fmt.Fprintf(&b, "-%s\n", line)
	}
	for _, line := range new[lead : len(new)-tail] {
		fmt.Fprintf(&b, "+%s\n", line)
	}
	for _, line := range old[len(old)-tail:] {
		fmt.Fprintf(&b, " %s\n", line)
	}
	return b.String()
}
