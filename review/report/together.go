package report

import (
	"fmt"
	"strings"

	"github.com/countersign/countersign/review/cost"
	"github.com/countersign/countersign/review/host"
)

// Together is several servers in one host, with what they cost there.
type Together struct {
	*host.Together
	Tokens cost.Shares
}

type togetherJSON struct {
	checkJSON
	Limit     *int        `json:"limit"`    // null where none is known
	LimitOf   string      `json:"limit_of"` // id of the profile that says so
	Tokens    int         `json:"tokens"`
	Tokenizer string      `json:"tokenizer"`
	Servers   []shareJSON `json:"servers"`
	Clashes   []clashJSON `json:"collisions"`
	Failed    *text       `json:"failed"`
}

type shareJSON struct {
	Server   text `json:"server"`
	Listed   int  `json:"listed"`
	Sent     int  `json:"sent"`
	Deferred int  `json:"deferred"`
	Lost     int  `json:"lost"`
	Renamed  int  `json:"renamed"`
	Tokens   int  `json:"tokens"`
}

type clashJSON struct {
	Name   text           `json:"name"`
	Across bool           `json:"across_servers"`
	Tools  []clashingJSON `json:"tools"`
}

type clashingJSON struct {
	Server   text  `json:"server"`
	Tool     text  `json:"tool"`
	Position int   `json:"position"`
	Sent     *text `json:"sent"` // null when it is not sent
}

func (t Together) form() togetherJSON {
	f := togetherJSON{
		checkJSON: checkForm(t.Check), LimitOf: t.LimitOf, Tokens: t.Tokens.Tokens, Tokenizer: cost.Tokenizer,
		Servers: make([]shareJSON, 0, len(t.Shares)), Clashes: each(t.Clashes, clashForm),
	}
	if t.Limit > 0 {
		f.Limit = &t.Limit
	}
	if t.Failed != "" {
		f.Failed = (*text)(&t.Failed)
	}
	for i, s := range t.Shares {
		f.Servers = append(f.Servers, shareJSON{text(s.Server), s.Listed, s.Sent, s.Deferred, s.Lost, s.Renamed, t.Tokens.Servers[i]})
	}
	return f
}

func clashForm(c host.Clash) clashJSON {
	return clashJSON{text(c.Name), c.Across(), each(c.Tools, func(t host.Clashing) clashingJSON {
		f := clashingJSON{text(t.Server), text(t.Tool), t.Position, nil}
		if t.Sent != "" {
			f.Sent = (*text)(&t.Sent)
		}
		return f
	})}
}

// JSON writes how the servers get along in the host, on one line.
func (t Together) JSON() ([]byte, error) {
	b, err := encode(t.form())
	if err != nil {
		return nil, fmt.Errorf("write servers together: %w", err)
	}
	return b, nil
}

// TogetherJSON writes the same of several hosts.
func TogetherJSON(list []Together) ([]byte, error) {
	b, err := encode(struct {
		Hosts []togetherJSON `json:"hosts"`
	}{each(list, Together.form)})
	if err != nil {
		return nil, fmt.Errorf("write servers together: %w", err)
	}
	return b, nil
}

// TogetherText writes how servers get along in hosts, for people.
func TogetherText(list []Together, verbose bool) string {
	var b strings.Builder
	for i, t := range list {
		if i == 0 {
			noTools(&b, t.Check.Listed)
		}
		checkLine(&b, t.Check)
		t.counts(&b)
		for _, c := range t.Clashes {
			fmt.Fprintf(&b, "  one name %s: %s\n", Line(c.Name), strings.Join(each(c.Tools, clashingWords), "; "))
		}
		issueLines(&b, t.Check, verbose, true)
	}
	return b.String()
}

// counts says how many tools come through, and how many may.
func (t Together) counts(b *strings.Builder) {
	fmt.Fprintf(b, "  sends %d of %s, about %s (estimate, %s)", t.Check.Sent, plural(t.Check.Listed, "tool"), plural(t.Tokens.Tokens, "token"), cost.Tokenizer)
	if t.Limit > 0 {
		fmt.Fprintf(b, "; %s takes %d", t.LimitOf, t.Limit)
	}
	b.WriteString("\n")
	for i, s := range t.Shares {
		fmt.Fprintf(b, "    %s: %d of %d sent, %d deferred, %d lost, %d renamed, about %s\n",
			Line(s.Server), s.Sent, s.Listed, s.Deferred, s.Lost, s.Renamed, plural(t.Tokens.Servers[i], "token"))
	}
}

func clashingWords(t host.Clashing) string {
	sent := "not sent"
	if t.Sent != "" {
		sent = "sent as " + Line(t.Sent)
	}
	return Line(t.Server) + " " + Line(t.Tool) + ", " + sent
}
