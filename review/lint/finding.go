package lint

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode/utf8"

	"github.com/countersign/countersign/review/surface"
)

// Severity says how much a finding matters.
type Severity string

// The severities, strongest first.
const (
	Critical Severity = "critical" // hides something or takes over: nobody should approve it unread
	High     Severity = "high"     // misleads or breaks callers
	Warn     Severity = "warn"     // will cause wrong calls
	Info     Severity = "info"     // could be better
)

// Rank orders severities by strength: info is 0, critical 3, an unknown one -1.
func (s Severity) Rank() int {
	switch s {
	case Info:
		return 0
	case Warn:
		return 1
	case High:
		return 2
	case Critical:
		return 3
	}
	return -1
}

// PositionClass says how a passage stands in its sentence.
type PositionClass string

// The position classes. Where no passage is judged nothing softens the finding, and the
// class is Instruction.
const (
	Instruction PositionClass = "instruction" // tells the reader to do it
	Described   PositionClass = "described"   // says that something does it
	Quoted      PositionClass = "quoted"      // cites the words
)

// Place is where a finding stands: a tool, or the listing when Tool is empty and
// Position 0, and a JSON pointer (RFC 6901) from the root of the definition. Of the
// listing the pointer is "", "/instructions" or "/tools/N".
type Place struct {
	Tool        string
	Position    int // of the tool, from 1
	Pointer     string
	Fingerprint string
}

// Finding is what a rule says about a place.
type Finding struct {
	Rule     string
	Severity Severity
	Place
	Excerpt       string // the passage, at most [ExcerptLimit] characters, as received
	PositionClass PositionClass
	Message       string // one or two sentences; quotes are as received
	Fix           string // what to do

	// New is set when the finding was not there in the base.
	New bool

	// Places are all places of a finding that stands for several, the first one
	// included; nil when there is one.
	Places []Place

	// Of is the rule of the finding at the same place that this one is about, "" for none.
	// Both have one fingerprint, so that one waiver answers both.
	Of string

	// RaisedBy is the rule that made the finding graver, "" for none: see Of, where the
	// two are told as one.
	RaisedBy string

	// Waiver is set when somebody accepted the finding. Such a finding is listed and
	// never counted.
	Waiver *Waiver

	// Policy is set where a policy counts the finding otherwise than its rule does.
	Policy *Override
}

// accepted reports whether somebody waived the finding, and meant that.
func (f *Finding) accepted(k WaiverKind) bool { return f.Waiver != nil && f.Waiver.Kind == k }

// Override is a policy's word on a finding.
type Override struct {
	Found Severity // that the rule gave
	Off   bool     // it is listed and never counted; else Severity is the policy's
}

// Off reports whether a policy turned the finding off.
func (f *Finding) Off() bool { return f.Policy != nil && f.Policy.Off }

// ExcerptLimit is the most characters of an excerpt.
const ExcerptLimit = 160

// excerpt cuts s at a character, with a mark where something is missing.
func excerpt(s string) string {
	s = strings.TrimSpace(s)
	if utf8.RuneCountInString(s) <= ExcerptLimit {
		return s
	}
	n := 0
	for i := range s {
		if n++; n == ExcerptLimit {
			return s[:i] + "…"
		}
	}
	return s
}

// short cuts a quotation for a sentence.
func short(s string, limit int) string {
	n := 0
	for i := range s {
		if n++; n > limit {
			return s[:i] + "…"
		}
	}
	return s
}

// Fingerprint is the fingerprint of a finding that was made elsewhere, see
// [Options.Extra]: a function of the rule, its version, the tool, the place and the whole
// value that stands there.
func Fingerprint(rule, version, tool, pointer, value string) string {
	return fingerprint(&Rule{ID: rule, Version: version}, tool, pointer, value)
}

// fingerprint is a function of the rule, its version, the tool, the place and the
// whole value that stands there: any other byte in it is another fingerprint.
func fingerprint(r *Rule, tool, pointer, value string) string {
	b := make([]byte, 0, 256)
	for _, part := range []string{r.ID, r.Version, tool, pointer} {
		b = append(append(b, part...), 0xff) // in no valid text
	}
	sum := sha256.Sum256([]byte(value))
	sum = sha256.Sum256(append(b, sum[:]...))
	return string(hex.AppendEncode([]byte("sha256:"), sum[:]))
}

// valueOf is the text that a fingerprint binds: a string itself, anything else in
// its canonical form, so that white space is no difference.
func valueOf(n *node) string {
	if n == nil {
		return ""
	}
	if n.kind == '"' {
		return n.str
	}
	if c, err := surface.Canonical(n.raw); err == nil {
		return string(c)
	}
	return string(n.raw)
}

// Counts are findings by severity, waived ones left out.
type Counts struct {
	Critical, High, Warn, Info int
}

// Count counts findings that nobody waived and no policy turned off.
func Count(findings []Finding) Counts {
	var c Counts
	for _, f := range findings {
		if f.Waiver != nil || f.Off() {
			continue
		}
		switch f.Severity {
		case Critical:
			c.Critical++
		case High:
			c.High++
		case Warn:
			c.Warn++
		case Info:
			c.Info++
		}
	}
	return c
}

// Worst is the strongest severity among findings that count, "" when there are
// none.
func Worst(findings []Finding) Severity {
	worst := Severity("")
	for _, f := range findings {
		if f.Waiver == nil && !f.Off() && f.Severity.Rank() > worst.Rank() {
			worst = f.Severity
		}
	}
	return worst
}
