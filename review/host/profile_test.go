package host

import (
	"bytes"
	"strings"
	"testing"
)

// TestProfileSlips checks that a slip in a file is found when it is read, and not
// when a listing is rendered.
func TestProfileSlips(t *testing.T) {
	const head = `{"id":"x","order":"listing","entry":{"name":"$name"}`
	if _, err := readProfile([]byte(head + `}`)); err != nil {
		t.Fatalf("a plain profile: %v", err)
	}
	for more, says := range map[string]string{
		`,"colour":1`:                               "colour",
		`,"names":{"over":"cut"}`:                   "over",
		`,"names":{"tool":{"per":"byte"}}`:          "per",
		`,"listing":{"reader":"perl"}`:              "reader",
		`,"listing":{"servers":"("}`:                "servers",
		`,"schema":["nosuch"]`:                      "nosuch",
		`,"verified":true`:                          "without a capture",
		`,"accepts":{"names":"("}`:                  "accepts",
		`,"group":"x`:                               "",
		`,"variants":{"v":{"order":"random"}}`:      "variant v",
		`,"variants":{"v":{"nothing":"like this"}}`: "nothing",
	} {
		if _, err := readProfile([]byte(head + more + `}`)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: got %v, want something about %s", more, err, says)
		}
	}
}

// TestNodesKeepBytes reads values and prints them again.
func TestNodesKeepBytes(t *testing.T) {
	for in, want := range map[string]string{
		` { "b" : [ 1 , 2.50 , -0 ] , "a" : null } `: `{"b":[1,2.50,-0],"a":null}`,
		`"\u0041\u00e9\ud800\/"`:                     `"Aé\ud800/"`,
		`9007199254740993`:                           `9007199254740993`,
		`[]`:                                         `[]`,
		`{"":{}}`:                                    `{"":{}}`,
	} {
		n, err := parseNode([]byte(in))
		if err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		if got := string(n.bytes()); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
	for _, in := range []string{``, `{`, `[1,]`, `{"a"}`, `"a`, `tru`, `01`, `{"a":1}x`, strings.Repeat("[", 10000)} {
		if n, err := parseNode([]byte(in)); err == nil {
			t.Errorf("%.20s was read as %s", in, n.bytes())
		}
	}
}

// TestRuntimes checks what programs of other languages make of a value.
func TestRuntimes(t *testing.T) {
	n, err := parseNode([]byte(`{"b":1.0,"10":1e3,"9":9007199254740993,"__proto__":1,"01":1e21,"a":[1e-7,-0,1e400,123456789012345678901]}`))
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct{ got, want string }{
		"script": {string(n.scripted().bytes()), `{"9":9007199254740992,"10":1000,"b":1,"01":1e+21,"a":[1e-7,0,null,123456789012345680000]}`},
		"go":     {string(n.doubled().bytes()), `{"b":1,"10":1000,"9":9007199254740992,"__proto__":1,"01":1e+21,"a":[1e-7,0,null,123456789012345680000]}`},
	} {
		if tc.got != tc.want {
			t.Errorf("%s: got %s, want %s", name, tc.got, tc.want)
		}
	}
	plain, err := parseNode([]byte(`{"a":[1,0.5,"x"],"b":{"c":true}}`))
	if err != nil || plain.scripted() != plain {
		t.Error("a value that every runtime sees alike was copied")
	}
}

// TestPunycode uses examples of RFC 3492 and of captures.
func TestPunycode(t *testing.T) {
	for in, want := range map[string]string{
		"bücher": "bcher-kva", "ünïcode_naïve": "ncode_nave-68ah3n", "日本": "wgv71a", "emoji_🚀_name": "emoji__name-p527j",
		"他们为什么不说中文": "ihqwcrb4cv8a8dqg056pqjye",
	} {
		if got := punycode(in); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}

// TestCollation holds the order of names that a host's request has.
func TestCollation(t *testing.T) {
	c := newCollator()
	want := []string{"_a", "-a", "1", "a", "A", "a_b", "A_B", "a-b", "aa", "b", "ß", "ü", "Ü", "z", "日"}
	for i := 1; i < len(want); i++ {
		if c.compare(want[i-1], want[i]) >= 0 {
			t.Errorf("%s does not come before %s", want[i-1], want[i])
		}
	}
}

func FuzzNode(f *testing.F) {
	f.Add([]byte(`{"a":[1,"\ud800",{"b":null}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		n, err := parseNode(raw)
		if err != nil {
			return
		}
		again, err := parseNode(n.bytes())
		if err != nil || string(again.bytes()) != string(n.bytes()) {
			t.Fatalf("%q became %q: %v", n.bytes(), again.bytes(), err)
		}
		for _, m := range []*node{n.scripted(), n.doubled(), n.sorted()} {
			if _, err := parseNode(m.bytes()); err != nil {
				t.Fatalf("%q: %v", m.bytes(), err)
			}
		}
	})
}

// TestNewVersionsHaveNewKeys gives a profile of which anything is known otherwise
// another key, in every configuration: what was kept for the old one is not found for it.
func TestNewVersionsHaveNewKeys(t *testing.T) {
	for _, old := range Profiles() {
		source := bytes.Replace(old.source, []byte(`"version": "`), []byte(`"version": "next of `), 1)
		if bytes.Equal(source, old.source) {
			t.Fatalf("%s has no version", old.ID)
		}
		next, err := readProfile(source)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range old.Variants() {
			was, err := old.As(name)
			if err != nil {
				t.Fatal(err)
			}
			is, err := next.As(name)
			if err != nil {
				t.Fatal(err)
			}
			if was.Key() == is.Key() {
				t.Errorf("%s+%s: two versions have one key", old.ID, name)
			}
		}
	}
}
