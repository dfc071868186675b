package schema_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/countersign/countersign/review/schema"
)

func TestValid(t *testing.T) {
	tests := []struct {
		name, draft, schema, instance string
		want                          bool
	}{
		{"plain", "", `{"type":"object","required":["a"]}`, `{"a":1}`, true},
		{"missing", "", `{"type":"object","required":["a"]}`, `{}`, false},
		{"format is not asserted", "7", `{"format":"email"}`, `"nobody"`, true},
		{"exact integers", "", `{"maximum":9007199254740992}`, `9007199254740993`, false},
		{"1.0 is an integer", "", `{"type":"integer"}`, `1.0`, true},
		{"siblings of $ref in draft 7", "7", `{"properties":{"v":{"$ref":"#/definitions/s","const":"x"}},"definitions":{"s":{"type":"string"}}}`, `{"v":"y"}`, true},
		{"siblings of $ref since 2019-09", "2019-09", `{"properties":{"v":{"$ref":"#/$defs/s","const":"x"}},"$defs":{"s":{"type":"string"}}}`, `{"v":"y"}`, false},
		{"tuple in draft 7", "7", `{"items":[{"type":"string"}]}`, `[1]`, false},
		{"a dot is any character", "", `{"pattern":"^.$"}`, `"\n"`, true},
		{"look-ahead", "", `{"pattern":"^(?!a)"}`, `"ab"`, false},
	}
	for _, tt := range tests {
		got, err := schema.Valid([]byte(tt.schema), []byte(tt.instance), schema.Options{Draft: tt.draft})
		if err != nil || got != tt.want {
			t.Errorf("%s: got %v, %v; want %v", tt.name, got, err, tt.want)
		}
	}
}

func TestValidHasNoAnswer(t *testing.T) {
	for _, c := range []struct{ name, schema, instance, want string }{
		{"instance is no JSON", `{}`, `{`, "instance: not JSON"},
		{"schema is no JSON", `{`, `1`, "not JSON"},
		{"schema is a number", `7`, `1`, "a schema is an object"},
		{"unknown dialect", `{"$schema":"https://example.org/mine"}`, `1`, "not known"},
		{"pattern that can't be checked", `{"pattern":"(?<=a)b"}`, `"ab"`, "can't be checked"},
		{"endless number", `{}`, `1e999999999`, "too large"},
	} {
		_, err := schema.Valid([]byte(c.schema), []byte(c.instance), schema.Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want an error about %q", c.name, err, c.want)
		}
	}
}

func TestCheck(t *testing.T) {
	tests := []struct {
		name, schema string
		want         []string // pointers
	}{
		{"fine", `{"type":"object"}`, nil},
		{"unknown keywords are fine", `{"maxItems:":7,"x-a":{}}`, nil},
		{"type", `{"properties":{"a":{"type":"text"}}}`, []string{"/properties/a/type"}},
		{"properties null", `{"properties":null}`, []string{"/properties"}},
		{"pattern", `{"properties":{"a":{"pattern":"("}}}`, []string{"/properties/a/pattern"}},
		{"look-behind is fine elsewhere", `{"pattern":"(?<=a)b"}`, nil},
		{"reference to nowhere", `{"$ref":"#/$defs/a"}`, []string{""}},
		{"no JSON", `{"a":1,"a":2}`, []string{""}},
	}
	for _, tt := range tests {
		var got []string
		for _, p := range schema.Check([]byte(tt.schema), schema.Options{}) {
			got = append(got, p.Pointer)
			if p.Message == "" {
				t.Errorf("%s: no message", tt.name)
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// A stranger's schema may not make us open files, not even those that exist.
func TestReferencesAreNotFetched(t *testing.T) {
	file := filepath.Join(t.TempDir(), "s.json")
	if err := os.WriteFile(file, []byte(`{"type":"string"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, ref := range []string{"file://" + file, file, "https://example.com/s.json", "s.json", "urn:other"} {
		doc := `{"properties":{"a":{"$ref":"` + ref + `"}}}`
		problems := schema.Check([]byte(doc), schema.Options{})
		if len(problems) != 1 || !strings.Contains(problems[0].Message, "not fetched") {
			t.Errorf("%s: %v", ref, problems)
		}
		r := schema.Compare([]byte(`{"properties":{"a":{"type":"string"}}}`), []byte(doc), schema.Input, schema.Options{})
		if r.Verdict != schema.Undecided || !strings.Contains(r.Reason, "not fetched") {
			t.Errorf("%s: %s, %s", ref, r.Verdict, r.Reason)
		}
	}
}

// A large document is compiled in parts and must judge as if it were not.
func TestLargeDocuments(t *testing.T) {
	doc := []byte(wide(3_000, `,"minLength":2`))
	v, err := schema.NewValidator(doc, schema.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for instance, want := range map[string]bool{
		`{}`: true, `{"p0":"a"}`: true, `{"p0":"ab"}`: false, `{"p1":"ab","p2":"abc"}`: true, `{"last":"a"}`: false, `{"other":1}`: true, `[]`: false,
	} {
		if got, err := v.Accepts([]byte(instance)); err != nil || got != want {
			t.Errorf("%s: got %v, %v; want %v", instance, got, err, want)
		}
	}
	if got, _ := v.Rejection([]byte(`{"last":"a"}`)); !strings.HasPrefix(got, "/properties/last/minLength: ") {
		t.Errorf("rejection %q", got)
	}
	broken := []byte(strings.Replace(string(doc), `"minLength":2`, `"minLength":"two"`, 1))
	if ps := schema.Check(broken, schema.Options{}); len(ps) != 1 || ps[0].Pointer != "/properties/last/minLength" {
		t.Errorf("problems %v", ps)
	}
}
