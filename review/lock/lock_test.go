package lock_test

import (
	"bytes"
	"encoding/base64"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/review/lock"
	"github.com/countersign/countersign/review/proof"
	"github.com/countersign/countersign/review/surface"
)

func read(t testing.TB, body string) *surface.Listing {
	t.Helper()
	l, err := surface.Read([]byte(body), surface.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func of(t testing.TB, body string) *lock.Lock {
	t.Helper()
	k, err := lock.Of(read(t, body))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func tool(name, description string) string {
	return `{"name":"` + name + `","description":"` + description + `","inputSchema":{"type":"object"}}`
}

func tools(list ...string) string { return `{"tools":[` + strings.Join(list, ",") + `]}` }

func with(instructions string, list ...string) string {
	return `{"instructions":` + instructions + `,"tools":[` + strings.Join(list, ",") + `]}`
}

var (
	mine  = proof.NewSigner(bytes.Repeat([]byte{1}, proof.SeedSize))
	other = proof.NewSigner(bytes.Repeat([]byte{2}, proof.SeedSize))
	noon  = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
)

func TestCompare(t *testing.T) {
	a, b, c := tool("a", "A."), tool("b", "B."), tool("c", "C.")
	for name, tt := range map[string]struct {
		locked, live string
		state        lock.State
		says         string
	}{
		"same":                        {tools(a, b), tools(a, b), lock.Same, ""},
		"same, laid out otherwise":    {tools(a), strings.ReplaceAll(tools(a), ",", ",\n "), lock.Same, ""},
		"changed":                     {tools(a, b), tools(a, tool("b", "B!")), lock.Differs, "`b` is not the definition"},
		"added":                       {tools(a), tools(a, b), lock.Differs, "`b` is not in what was released"},
		"removed":                     {tools(a, b), tools(b), lock.Differs, "`a` was released and is not there"},
		"renamed":                     {tools(a), tools(c), lock.Differs, "`c` is not in what was released"},
		"reordered":                   {tools(a, b), tools(b, a), lock.Differs, "another order"},
		"one name twice":              {tools(a), tools(a, a), lock.Differs, "`a` is not in what was released"},
		"emptied":                     {tools(a), tools(), lock.Differs, "`a` was released"},
		"a page":                      {tools(a, b), `{"tools":[` + a + `],"nextCursor":"x"}`, lock.Unknown, ""},
		"a page that differs":         {tools(a, b), `{"tools":[` + c + `],"nextCursor":"x"}`, lock.Differs, "`c` is not in"},
		"instructions changed":        {with(`"Be kind."`, a), with(`"Obey."`, a), lock.Differs, "instructions are not"},
		"instructions gone":           {with(`"Be kind."`, a), with(`null`, a), lock.Differs, "instructions are not"},
		"instructions not asked":      {with(`"Be kind."`, a), tools(a), lock.Unknown, ""},
		"none live, lock not asked":   {tools(a), with(`null`, a), lock.Same, ""},
		"a hidden character":          {tools(a), tools(tool("a", "A\\u200b.")), lock.Differs, "`a` is not"},
		"a name with a lone half":     {tools(tool(`\ud800`, "A.")), tools(tool(`\ud801`, "A.")), lock.Differs, ""},
		"a declaration without types": {tools(a), `[{"type":"function","function":{"name":"a","description":"A.","parameters":{"type":"object"}}}]`, lock.Unknown, ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := of(t, tt.locked).Compare(read(t, tt.live))
			if d.State != tt.state || tt.says != "" && !strings.Contains(strings.Join(d.Sentences, "\n"), tt.says) {
				t.Errorf("%s %q %s, want %s and %q", d.State, d.Sentences, d.Why, tt.state, tt.says)
			}
		})
	}
}

// TestAcceptance07InstructionsOnlyLive: what a model reads and nobody released.
func TestAcceptance07InstructionsOnlyLive(t *testing.T) {
	a := tool("a", "A.")
	for _, locked := range []string{tools(a), with(`null`, a)} {
		if d := of(t, locked).Compare(read(t, with(`"Obey."`, a))); d.State != lock.Differs || !d.Instructions {
			t.Errorf("locked %s: %+v", locked, d)
		}
	}
}

func signed(t *testing.T, k *lock.Lock, by *proof.Signer) *lock.File {
	t.Helper()
	e, err := k.Sign(by)
	if err != nil {
		t.Fatal(err)
	}
	return &lock.File{Lock: *k, Envelope: &e}
}

// TestAcceptance32LockSignedByAnotherKey: only pinned keys count, and those that a
// rotation ties to them.
func TestAcceptance32LockSignedByAnotherKey(t *testing.T) {
	k := of(t, tools(tool("a", "A.")))
	k.IssuedAt = &noon
	pin := func(s *proof.Signer, until time.Time) proof.Trusted { return proof.Trusted{Key: s.Key(), Until: until} }
	bare := &lock.File{Lock: *k}
	for name, tt := range map[string]struct {
		file *lock.File
		pins []proof.Trusted
		want lock.Signature
	}{
		"the pinned key":              {signed(t, k, mine), []proof.Trusted{pin(mine, time.Time{})}, lock.Valid},
		"another key":                 {signed(t, k, other), []proof.Trusted{pin(mine, time.Time{})}, lock.Foreign},
		"no key pinned":               {signed(t, k, other), nil, lock.Unchecked},
		"nobody signed":               {bare, nil, lock.Bare},
		"nobody signed, a key pinned": {bare, []proof.Trusted{pin(mine, time.Time{})}, lock.Foreign},
		"replaced afterwards":         {signed(t, k, mine), []proof.Trusted{pin(mine, noon.Add(time.Hour))}, lock.Valid},
		"replaced before":             {signed(t, k, mine), []proof.Trusted{pin(mine, noon.Add(-time.Hour))}, lock.Foreign},
	} {
		if got := tt.file.Check(tt.pins...); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

func TestParse(t *testing.T) {
	k := of(t, with(`"Be kind."`, tool("a", "A."), tool(`\ud800`, "B.")))
	k.Server, k.Version = "shop", "1.0.0"
	statement, err := k.Statement()
	if err != nil {
		t.Fatal(err)
	}
	f, err := lock.Parse(statement)
	if err != nil || f.Envelope != nil || f.Lock.Digest != k.Digest || !slices.Equal(f.Lock.Tools, k.Tools) || *f.Lock.Instructions != *k.Instructions {
		t.Errorf("%+v, %v", f, err)
	}
	plain, _ := of(t, tools(tool("a", "A."))).Statement()
	replace := func(old, new string) string { return strings.Replace(string(plain), old, new, 1) }
	for name, text := range map[string]string{
		"empty": "", "an array": "[]", "a listing": tools(tool("a", "A.")),
		"another statement":      replace("Statement/v1", "Statement/v2"),
		"another predicate":      replace("/lock/v1", "/lock/v9"),
		"another subject":        replace(`"sha256":"`, `"sha256":"0`),
		"a tool left out":        replace(plain0(string(plain)), `[]`),
		"no predicate":           `{"_type":"` + lock.StatementType + `","predicateType":"` + lock.PredicateType + `","subject":[]}`,
		"an envelope of another": `{"payloadType":"text/x","payload":"` + base64.StdEncoding.EncodeToString(plain) + `","signatures":[{"sig":"AA=="}]}`,
	} {
		if f, err := lock.Parse([]byte(text)); err == nil {
			t.Errorf("%s: read as %+v", name, f)
		}
	}
}

// plain0 is the array of tools in a statement.
func plain0(statement string) string {
	_, rest, _ := strings.Cut(statement, `"tools":`)
	list, _, _ := strings.Cut(rest, "]")
	return list + "]"
}

func TestOnlyWholeListingsAreLocked(t *testing.T) {
	for _, body := range []string{
		`{"tools":[` + tool("a", "A.") + `],"nextCursor":"x"}`,
		`[{"type":"function","function":{"name":"a","description":"A.","parameters":{"type":"object"}}}]`,
	} {
		if k, err := lock.Of(read(t, body)); err == nil {
			t.Errorf("%s was locked: %+v", body, k)
		}
	}
}

func FuzzParse(f *testing.F) {
	k := of(f, tools(tool("a", "A.")))
	b, _ := k.Statement()
	f.Add(b)
	e, _ := k.Sign(mine)
	f.Add([]byte(`{"payloadType":"` + e.PayloadType + `","payload":"` + e.Payload + `","signatures":[{"keyid":"x","sig":"` + e.Signatures[0].Sig + `"}]}`))
	live := read(f, tools(tool("a", "A.")))
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := lock.Parse(text)
		if err != nil {
			return
		}
		file.Check(proof.Trusted{Key: mine.Key()})
		if d := file.Lock.Compare(live); d.State == lock.Same && file.Lock.Digest != live.Digest {
			t.Errorf("another digest, and the same: %s", text)
		}
	})
}
