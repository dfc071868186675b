package proof_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/secure-systems-lab/go-securesystemslib/dsse"

	"github.com/countersign/countersign/review/proof"
	"github.com/countersign/countersign/review/surface"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func signer(n byte) *proof.Signer { return proof.NewSigner(bytes.Repeat([]byte{n}, proof.SeedSize)) }

// TestPAE keeps the vector of the DSSE specification: what is signed is type and
// bytes, with their lengths.
func TestPAE(t *testing.T) {
	if got, want := string(dsse.PAE("http://example.com/HelloWorld", []byte("hello world"))), "DSSEv1 29 http://example.com/HelloWorld 11 hello world"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestEnvelopes(t *testing.T) {
	mine, other := signer(1), signer(2)
	e, err := proof.Sign("text/x", []byte("hello"), mine)
	if err != nil {
		t.Fatal(err)
	}
	if b, by, err := e.Open("text/x", other.Key(), mine.Key(), mine.Key()); err != nil || string(b) != "hello" || !slices.Equal(by, []string{mine.Key().ID}) {
		t.Errorf("opened %q, signed by %q: %v", b, by, err)
	}
	for name, damage := range map[string]func(*proof.Envelope){
		"another type":      func(e *proof.Envelope) { e.PayloadType = "text/y" },
		"another payload":   func(e *proof.Envelope) { e.Payload = base64.StdEncoding.EncodeToString([]byte("hellO")) },
		"another signature": func(e *proof.Envelope) { e.Signatures[0].Sig = base64.StdEncoding.EncodeToString(make([]byte, 64)) },
		"no signature":      func(e *proof.Envelope) { e.Signatures = nil },
		"another's key id":  func(e *proof.Envelope) { e.Signatures[0].KeyID = other.Key().ID },
		"no base64":         func(e *proof.Envelope) { e.Payload = "%%%" },
	} {
		t.Run(name, func(t *testing.T) {
			damaged := e
			damaged.Signatures = slices.Clone(e.Signatures)
			damage(&damaged)
			if b, _, err := damaged.Open("text/x", mine.Key(), other.Key()); err == nil {
				t.Errorf("opened: %q", b)
			}
		})
	}
	if _, _, err := e.Open("text/x", other.Key()); !errors.Is(err, proof.ErrUntrusted) {
		t.Errorf("by another's key: %v", err)
	}
	if _, _, err := e.Open("text/x"); !errors.Is(err, proof.ErrUntrusted) {
		t.Errorf("without keys: %v", err)
	}
}

func TestKeysAsText(t *testing.T) {
	s := signer(1)
	again, err := proof.ParseSigner(s.PEM())
	if err != nil || again.Key().ID != s.Key().ID {
		t.Errorf("the private key came back as %v: %v", again, err)
	}
	k, err := proof.ParseKey([]byte(s.Key().PEM()))
	if err != nil || k.ID != s.Key().ID {
		t.Errorf("the public key came back as %v: %v", k, err)
	}
	for name, text := range map[string]string{"empty": "", "public": s.Key().PEM(), "two": string(s.PEM()) + string(s.PEM()), "junk": "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"} {
		if _, err := proof.ParseSigner([]byte(text)); err == nil {
			t.Errorf("%s: read as a private key", name)
		}
	}
	_, err = proof.ParseKey(s.PEM())
	if err == nil || strings.Contains(err.Error(), strings.Split(string(s.PEM()), "\n")[1]) {
		t.Errorf("a private key where a public one is wanted: %v", err)
	}
}

func ids(ts []proof.Trusted) []string {
	var out []string
	for _, t := range ts {
		out = append(out, t.ID)
	}
	return out
}

func TestTrustFollowsRotations(t *testing.T) {
	a, b, c, evil := signer(1), signer(2), signer(3), signer(9)
	record := func(from proof.Key, old, to *proof.Signer, instance string) proof.Record {
		e, err := proof.Rotate(instance, from, old, to, noon)
		if err != nil {
			t.Fatal(err)
		}
		return proof.Record{ID: to.Key().ID, PublicKey: to.Key().PEM(), Rotation: &e}
	}
	ring := proof.Ring{Instance: proof.Instance{ID: "i"}, Keys: []proof.Record{
		{ID: a.Key().ID, PublicKey: a.Key().PEM()},
		record(a.Key(), a, b, "i"),
		record(b.Key(), nil, c, "i"),        // b was lost
		record(a.Key(), evil, evil, "i"),    // says that a names it, but a did not sign
		record(c.Key(), c, evil, "another"), // a statement of another instance
	}}
	for name, tt := range map[string]struct {
		pin  *proof.Signer
		want []*proof.Signer
	}{
		"the first":            {a, []*proof.Signer{a, b}}, // c was named by nobody who is trusted
		"the second":           {b, []*proof.Signer{b, a}},
		"the one after a loss": {c, []*proof.Signer{c, b, a}},
		"a stranger":           {evil, []*proof.Signer{evil, a, b}}, // who pins it trusts what it says, and nobody else does
	} {
		t.Run(name, func(t *testing.T) {
			got := ids(ring.Trusted(tt.pin.Key()))
			var want []string
			for _, s := range tt.want {
				want = append(want, s.Key().ID)
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("trusted are %q, want %q", got, want)
			}
		})
	}
	if got := ring.Trusted(b.Key()); got[1].Until != noon {
		t.Errorf("what was replaced counts until %v", got[1].Until)
	}
}

// chain is a sealed audit in memory.
type chain struct {
	acts  []proof.Act
	links []proof.Link
	signs map[int64]proof.Envelope
}

func newChain(t testing.TB, n int, by *proof.Signer) *chain {
	c := &chain{signs: map[int64]proof.Envelope{}}
	head := proof.Genesis("i")
	for i := range n {
		a := proof.Act{ID: fmt.Sprint("id-", i), At: noon.Add(time.Duration(i) * time.Microsecond), Actor: "Ada", Act: "verdict.approve", Subject: "pay\x00\xed\xa0\x80", After: `{"n":1}`}
		row, err := a.Digest()
		if err != nil {
			t.Fatal(err)
		}
		l := head.Next(row)
		head = l.Head()
		c.acts, c.links = append(c.acts, a), append(c.links, l)
	}
	e, err := proof.SignCheckpoint("i", head, noon.Add(time.Hour), by)
	if err != nil {
		t.Fatal(err)
	}
	c.signs[head.Seq] = e
	return c
}

func (c *chain) export(t testing.TB, x proof.Exporter, keys ...proof.Record) {
	t.Helper()
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	must(x.Begin(proof.Header{Instance: proof.Instance{ID: "i"}, Keys: keys}))
	var last int64
	for i := range c.links {
		act := &c.acts[i]
		if act.ID == "" {
			act = nil
		}
		last = c.links[i].Seq
		must(x.Link(c.links[i], act))
	}
	for _, e := range c.signs {
		must(x.Checkpoint(e))
	}
	must(x.End(last))
}

func (c *chain) check(t testing.TB, pins ...proof.Key) proof.Verification {
	t.Helper()
	var b bytes.Buffer
	c.export(t, proof.NewJSON(&b))
	v, err := proof.Check(&b, pins...)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestTamperingWithAnExportIsFound(t *testing.T) {
	mine := signer(1)
	if v := newChain(t, 9, mine).check(t, mine.Key()); v.Fault != nil || v.Links != 9 || v.Covered != 9 {
		t.Fatalf("untouched: %+v %+v", v, v.Fault)
	}
	if v := newChain(t, 9, mine).check(t); v.Fault != nil || v.Unchecked != 1 || v.Covered != 0 {
		t.Fatalf("without a key: %+v %+v", v, v.Fault)
	}
	reseal := func(c *chain) { // what an attacker does who knows the format, but has no key
		head := proof.Genesis("i")
		for i := range c.acts {
			row, _ := c.acts[i].Digest()
			c.links[i] = head.Next(row)
			head = c.links[i].Head()
		}
	}
	for name, tt := range map[string]struct {
		damage func(*chain)
		seq    int64
	}{
		"changed":      {func(c *chain) { c.acts[3].Actor = "Eve" }, 4},
		"time changed": {func(c *chain) { c.acts[3].At = c.acts[3].At.Add(time.Microsecond) }, 4},
		"deleted":      {func(c *chain) { c.acts, c.links = slices.Delete(c.acts, 3, 4), slices.Delete(c.links, 3, 4) }, 4},
		"inserted": {func(c *chain) {
			c.acts, c.links = slices.Insert(c.acts, 3, c.acts[2]), slices.Insert(c.links, 3, c.links[2])
		}, 4},
		"reordered": {func(c *chain) { c.acts[3], c.acts[4] = c.acts[4], c.acts[3] }, 4},
		"both reordered": {func(c *chain) {
			c.acts[3], c.acts[4] = c.acts[4], c.acts[3]
			c.links[3], c.links[4] = c.links[4], c.links[3]
		}, 4},
		"truncated":         {func(c *chain) { c.acts, c.links = c.acts[:7], c.links[:7] }, 8},
		"changed, resealed": {func(c *chain) { c.acts[3].Actor = "Eve"; reseal(c) }, 9},
		"deleted, resealed": {func(c *chain) { c.acts, c.links = slices.Delete(c.acts, 3, 4), c.links[:8]; reseal(c) }, 9},
		"of another instance": {func(c *chain) {
			e, _ := proof.SignCheckpoint("j", c.links[8].Head(), noon, mine)
			c.signs[9] = e
		}, 9},
		"checkpoint by another key": {func(c *chain) {
			e, _ := proof.SignCheckpoint("i", c.links[8].Head(), noon, signer(2))
			c.signs[9] = e
		}, 9},
	} {
		t.Run(name, func(t *testing.T) {
			c := newChain(t, 9, mine)
			tt.damage(c)
			if v := c.check(t, mine.Key()); v.Fault == nil || v.Fault.Seq != tt.seq {
				t.Errorf("found %+v, want place %d", v.Fault, tt.seq)
			}
		})
	}
}

func TestActsLeftOutKeepTheChain(t *testing.T) {
	mine := signer(1)
	c := newChain(t, 5, mine)
	c.acts[1], c.acts[2] = proof.Act{}, proof.Act{}
	if v := c.check(t, mine.Key()); v.Fault != nil || v.LeftOut != 2 || v.Covered != 5 {
		t.Errorf("%+v %+v", v, v.Fault)
	}
}

func TestCutOffExport(t *testing.T) {
	mine := signer(1)
	var b bytes.Buffer
	newChain(t, 5, mine).export(t, proof.NewJSON(&b))
	lines := strings.SplitAfter(b.String(), "\n")
	v, err := proof.Check(strings.NewReader(strings.Join(lines[:len(lines)-2], "")), mine.Key())
	if err != nil || v.Fault == nil || !strings.Contains(v.Fault.What, "cut off") {
		t.Errorf("%+v %+v", v.Fault, err)
	}
	for _, text := range []string{"", "{}\n", "[]", `{"kind":"audit","format":9}`, lines[0] + `{"kind":"act"}`} {
		if _, err := proof.Check(strings.NewReader(text)); err == nil {
			t.Errorf("%.40q was read as an export", text)
		}
	}
}

func TestCheckpointsOfReplacedKeys(t *testing.T) {
	old, now := signer(1), signer(2)
	rotated, err := proof.Rotate("i", old.Key(), old, now, noon)
	if err != nil {
		t.Fatal(err)
	}
	keys := []proof.Record{{ID: old.Key().ID, PublicKey: old.Key().PEM()}, {ID: now.Key().ID, PublicKey: now.Key().PEM(), Rotation: &rotated}}
	check := func(at time.Time) *proof.Fault {
		c := newChain(t, 3, old)
		c.signs[3], _ = proof.SignCheckpoint("i", c.links[2].Head(), at, old)
		var b bytes.Buffer
		c.export(t, proof.NewJSON(&b), keys...)
		v, err := proof.Check(&b, now.Key())
		if err != nil {
			t.Fatal(err)
		}
		return v.Fault
	}
	if f := check(noon.Add(-time.Hour)); f != nil {
		t.Errorf("signed while the key was in use: %+v", f)
	}
	if f := check(noon.Add(time.Hour)); f == nil {
		t.Error("signed after the key was replaced, and not found")
	}
}

func TestCSVCellsRunNothing(t *testing.T) {
	c := newChain(t, 6, signer(1))
	for i, s := range []string{"=1+1", "+1", "-1", "@x", "\tx", "\rx"} {
		c.acts[i].Actor = s
	}
	var b bytes.Buffer
	c.export(t, proof.NewCSV(&b))
	for _, s := range []string{",'=1+1,", ",'+1,", ",'-1,", ",'@x,", "'\tx", "'\rx"} {
		if !strings.Contains(b.String(), s) {
			t.Errorf("%q is not in\n%s", s, b.String())
		}
	}
	if got := strings.Count(b.String(), "id-"); got != 6 {
		t.Errorf("%d rows", got)
	}
}

// TestLinksByHand recomputes one link from its documentation alone.
func TestLinksByHand(t *testing.T) {
	a := proof.Act{ID: "1", At: noon, Act: "x.y"}
	row, _ := a.Digest()
	byHand := surface.HashOf([]byte(`{"act":"x.y","actor":"","actor_id":"","addr":"","after":"","at":"2026-11-30T12:00:00Z","before":"","id":"1","server":"","subject":"","via":""}`))
	if row != byHand {
		t.Errorf("row is %s, want %s", row, byHand)
	}
	genesis := surface.HashOf([]byte(`{"audit":"i"}`))
	want := surface.HashOf([]byte(`{"prev":"` + genesis.String() + `","row":"` + row.String() + `","seq":1}`))
	if l := proof.Genesis("i").Next(row); l.Hash != want || l.Seq != 1 {
		t.Errorf("link is %+v, want %s", l, want)
	}
}

func FuzzCheck(f *testing.F) {
	mine := signer(1)
	var b bytes.Buffer
	newChain(f, 2, mine).export(f, proof.NewJSON(&b))
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, file []byte) {
		v, err := proof.Check(bytes.NewReader(file), mine.Key())
		if err != nil || v.Fault != nil || v.Covered == 0 {
			return
		}
		// Whatever is left of the file says the same acts as the one that was signed.
		if got, want := actsOf(t, file), actsOf(t, b.Bytes()); v.LeftOut == 0 && v.First == 1 && got[0] != want[0] {
			t.Errorf("another act was accepted: %s", got[0])
		}
	})
}

func actsOf(t testing.TB, file []byte) []string {
	var out []string
	for _, l := range bytes.Split(file, []byte("\n")) {
		var v struct{ Act *proof.Act }
		if json.Unmarshal(l, &v) == nil && v.Act != nil {
			d, err := v.Act.Digest()
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, d.String())
		}
	}
	return out
}
