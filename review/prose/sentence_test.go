package prose

import (
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
)

func TestSentences(t *testing.T) {
	tests := []struct {
		name, in string
		want     []string
	}{
		{"none", "", nil},
		{"blank", " \n\t", nil},
		{"no stop", "Delete a branch", []string{"Delete a branch"}},
		{"two", "Delete a branch. It is gone.", []string{"Delete a branch.", "It is gone."}},
		{"lower case start", "Writes a fact. chat_id is NOT an input. mode is.", []string{"Writes a fact.", "chat_id is NOT an input.", "mode is."}},
		{"questions", "Why? Because! So…  Yes.", []string{"Why?", "Because!", "So…", "Yes."}},
		{"abbreviations", "Pass an id, e.g. 12, i.e. a number, etc. as text. Ask Dr. Who vs. No. 5.", []string{"Pass an id, e.g. 12, i.e. a number, etc. as text.", "Ask Dr. Who vs. No. 5."}},
		{"abbreviation at the end", "Takes JSON, CSV, etc. Others fail.", []string{"Takes JSON, CSV, etc.", "Others fail."}},
		{"versions and files", "Needs v1.2.3 or later. See docs/api.md and example.com/x.y?z=1.", []string{"Needs v1.2.3 or later.", "See docs/api.md and example.com/x.y?z=1."}},
		{"objects", `Returns { error: "not_found" } if it is gone. Returns { error: "no. really" } else.`, []string{`Returns { error: "not_found" } if it is gone.`, `Returns { error: "no. really" } else.`}},
		{"code span", "Call `a. b` first. Then `c.` last.", []string{"Call `a. b` first.", "Then `c.` last."}},
		{"code span of several lines", "Example: `() => {\n  return a. b;\n}` or `async () => {\n  return c\n}`.\nNext line", []string{"Example: `() => {\n  return a. b;\n}` or `async () => {\n  return c\n}`.", "Next line"}},
		{"fence behind a text", "Example: ```js\nf(a)\n\n- b. C\n``` and on. Then go.", []string{"Example: ```js\nf(a)\n\n- b. C\n``` and on.", "Then go."}},
		{"backtick that never closes", "Use ` here\n\nThen `x`\n- a ` b\n- c `d`", []string{"Use ` here", "Then `x`", "- a ` b", "- c `d`"}},
		{"backticks in a fence", "~~~\na ` b\n~~~\nAfter\nLast `c`", []string{"~~~\na ` b\n~~~", "After", "Last `c`"}},
		{"quotations", `It says "Not found. Sorry." Then it stops. Use "a." or "b." here.`, []string{`It says "Not found. Sorry."`, "Then it stops.", `Use "a." or "b." here.`}},
		{"brackets", "Lists all (open ones first. Always.) of them. (Not the closed.) Fast.", []string{"Lists all (open ones first. Always.) of them.", "(Not the closed.)", "Fast."}},
		{"bracket that never closes", "A (b. C d. E.", []string{"A (b.", "C d.", "E."}},
		{"ellipsis", "Wait... then go. Wait... Go.", []string{"Wait... then go.", "Wait...", "Go."}},
		{"list", "Modes:\n- fast\n- deep: reads\n  all pages\n* last", []string{"Modes:", "- fast", "- deep: reads\n  all pages", "* last"}},
		{"numbered", "1. Call a. Then b.\n2) Call c.\na) d", []string{"1. Call a.", "Then b.", "2) Call c.", "a) d"}},
		{"wrapped", "This line is long enough to have been wrapped by a careful author\nGitHub goes on here.\nAnd a new one", []string{"This line is long enough to have been wrapped by a careful author\nGitHub goes on here.", "And a new one"}},
		{"short lines", "First line\nSecond line\nand on", []string{"First line", "Second line\nand on"}},
		{"paragraphs", "One\n\ntwo", []string{"One", "two"}},
		{"headings", "# Title\nText\n**Best for:** pages.\nMore", []string{"# Title", "Text", "**Best for:** pages.", "More"}},
		{"fields", "Args:\n  path: The path\n  limit (int): How many", []string{"Args:", "path: The path", "limit (int): How many"}},
		{"code block", "Use:\n```json\n{\"a\": 1. }\n\n- x\n```\nAfter.", []string{"Use:", "```json\n{\"a\": 1. }\n\n- x\n```", "After."}},
		{"code block that never closes", "Use:\n```\na. B", []string{"Use:", "```\na. B"}},
		{"Windows lines", "One.\r\n\r\n- two\r\n", []string{"One.", "- two"}},
		{"Chinese", "查询订单。未找到时返回错误！好？是", []string{"查询订单。", "未找到时返回错误！", "好？", "是"}},
		{"Chinese quotation", "返回「无。」然后停止。", []string{"返回「无。」", "然后停止。"}},
		{"Arabic", "هذا نص. وهذا سؤال؟ نعم۔ لا", []string{"هذا نص.", "وهذا سؤال؟", "نعم۔", "لا"}},
		{"Hindi", "यह है। वह है॥ अंत", []string{"यह है।", "वह है॥", "अंत"}},
		{"emphasis", "**Never do this.** It breaks. _So._ End.", []string{"**Never do this.**", "It breaks.", "_So._", "End."}},
		{"times", "Open till 5 p.m. on weekdays. Closed at 5 p.m. Always.", []string{"Open till 5 p.m. on weekdays.", "Closed at 5 p.m.", "Always."}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, s := range Sentences(tt.in) {
				got = append(got, s.Text)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			checkSentences(t, tt.in)
		})
	}
}

// checkSentences checks that sentences are in order, whole, and hold everything.
func checkSentences(t *testing.T, s string) {
	t.Helper()
	at := 0
	for _, sentence := range Sentences(s) {
		if sentence.Start < at || sentence.End > len(s) || sentence.Text != s[sentence.Start:sentence.End] {
			t.Fatalf("sentence %+v of %+q", sentence, s)
		}
		if sentence.Text == "" || strings.TrimFunc(sentence.Text, unicode.IsSpace) != sentence.Text {
			t.Fatalf("sentence %+q is not trimmed", sentence.Text)
		}
		if lost := strings.TrimFunc(s[at:sentence.Start], unicode.IsSpace); lost != "" {
			t.Fatalf("%+q is in no sentence of %+q", lost, s)
		}
		at = sentence.End
	}
	if lost := strings.TrimFunc(s[at:], unicode.IsSpace); lost != "" {
		t.Fatalf("%+q is in no sentence of %+q", lost, s)
	}
}

func FuzzSentences(f *testing.F) {
	for _, s := range []string{"A. B", "e.g. (a. b) \"c. d\" `e. f`. G", "- a\n1. b\n```\nc. d\n```", "查。b。\n\n# c", "[{(\"`. ", "a...\"\xff. \xed\xa0\x80. b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		checkSentences(t, s)
		for _, sentence := range Sentences(s) {
			Classify(sentence.Text)
		}
	})
}
