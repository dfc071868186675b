package change

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestAnnotationDetails(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"equal", `{"readOnlyHint":true}`, `{"readOnlyHint": true}`, ""},
		{"default written out", ``, `{"readOnlyHint":false,"destructiveHint":true,"idempotentHint":false,"openWorldHint":true}`,
			"none annotation.default-made-explicit readOnlyHint, none annotation.default-made-explicit destructiveHint, none annotation.default-made-explicit idempotentHint, none annotation.default-made-explicit openWorldHint"},
		{"default no longer written out", `{"openWorldHint":true}`, `{}`, "none annotation.default-made-implicit openWorldHint"},
		{"null is absent", `{"readOnlyHint":null}`, `{"readOnlyHint":false}`, "none annotation.default-made-explicit readOnlyHint"},
		{"flip", `{"readOnlyHint":false}`, `{"readOnlyHint":true}`, "behaviour annotation.changed readOnlyHint"},
		{"flip by leaving out", `{"destructiveHint":false}`, ``, "behaviour annotation.changed destructiveHint"},
		{"flip to absent null", `{"readOnlyHint":true}`, `null`, "behaviour annotation.changed readOnlyHint"},
		{"no boolean", `{"readOnlyHint":true}`, `{"readOnlyHint":"true"}`, "behaviour annotation.invalid readOnlyHint"},
		{"unknown", `{}`, `{"read_only_hint":true}`, "behaviour annotation.unknown.added read_only_hint"},
		{"unknown changed", `{"category":"a"}`, `{"category":"b"}`, "behaviour annotation.unknown.changed category"},
		{"title", `{"title":"A"}`, `{"title":"B"}`, "text title.changed title"},
		{"empty object", ``, `{}`, "none annotation.default-made-explicit /annotations"},
		{"no object", `{}`, `[]`, "behaviour field.changed /annotations"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, d := range annotationDetails(value(c.old), value(c.new)) {
				got = append(got, string(d.Class)+" "+d.ID+" "+strings.TrimPrefix(d.Pointer, "/annotations/"))
			}
			if s := strings.Join(got, ", "); s != c.want {
				t.Errorf("got  %s\nwant %s", s, c.want)
			}
		})
	}
}

func value(s string) jsontext.Value {
	if s == "" {
		return nil
	}
	return jsontext.Value(s)
}

// A hint that has no meaning while the tool only reads says so.
func TestHintWithoutMeaning(t *testing.T) {
	ds := annotationDetails(value(`{"readOnlyHint":true,"destructiveHint":false}`), value(`{"readOnlyHint":true,"destructiveHint":true}`))
	if len(ds) != 1 || ds[0].Note == nil || !strings.Contains(*ds[0].Note, "no meaning") {
		t.Errorf("got %+v", ds)
	}
}

func TestExecutionDetails(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"default written out", ``, `{"taskSupport":"forbidden"}`, "none execution.default-made-explicit"},
		{"default left out", `{"taskSupport":"forbidden"}`, ``, "none execution.default-made-implicit"},
		{"empty", ``, `{}`, "none execution.default-made-explicit"},
		{"changed", `{"taskSupport":"forbidden"}`, `{"taskSupport":"required"}`, "behaviour execution.changed"},
		{"unknown member", `{}`, `{"speed":1}`, "behaviour execution.added"},
		{"no object", `{}`, `7`, "behaviour execution.changed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, d := range executionDetails(value(c.old), value(c.new)) {
				got = append(got, string(d.Class)+" "+d.ID)
			}
			if s := strings.Join(got, ", "); s != c.want {
				t.Errorf("got %s, want %s", s, c.want)
			}
		})
	}
}
