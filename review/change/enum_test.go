package change_test

import (
	"fmt"
	"testing"

	"github.com/countersign/countersign/review/change"
)

// TestEnumNotes: what is said of a narrowed list of values, and that less is said where
// it would not be true.
func TestEnumNotes(t *testing.T) {
	const sameWords, named = "The same words in another case: whoever sends them as before is refused.", "The description named each of these values already: whoever kept to it goes on as before."
	tool := func(description, property string) string {
		return fmt.Sprintf(`[{"name":"read","description":%q,"inputSchema":{"type":"object","properties":{"a/b":%s}}}]`, description, property)
	}
	const free = `{"type":"string","description":"One of get, put."}`
	for _, c := range []struct{ name, old, new, id, note string }{
		{"another case", tool("", `{"enum":["low","mid"]}`), tool("", `{"enum":["LOW","MID"]}`), "enum.value.removed", sameWords},
		{"one in another case, one gone", tool("", `{"enum":["low","mid"]}`), tool("", `{"enum":["LOW"]}`), "enum.value.removed", ""},
		{"one gone, one stays", tool("", `{"enum":["low","LOW"]}`), tool("", `{"enum":["LOW"]}`), "enum.value.removed", sameWords},
		{"named by the tool", tool("Give get or put.", `{"type":"string"}`), tool("Give get or put.", `{"type":"string","enum":["get","put"]}`), "enum.introduced", named},
		{"named by the parameter", tool("", free), tool("", `{"type":"string","description":"One of get, put.","enum":["get","put"]}`), "enum.introduced", named},
		{"named now only", tool("", `{"type":"string"}`), tool("Give get or put.", `{"type":"string","enum":["get","put"]}`), "enum.introduced", ""},
		{"within another word", tool("Forget it, or put.", `{"type":"string"}`), tool("Forget it, or put.", `{"type":"string","enum":["get","put"]}`), "enum.introduced", ""},
		{"a number among them", tool("Give 1 or 2.", `{}`), tool("Give 1 or 2.", `{"enum":[1,2]}`), "enum.introduced", ""},
	} {
		d := find(change.Compare(read(t, c.old), read(t, c.new), change.Options{}), c.id, "/enum")
		if d == nil {
			t.Errorf("%s: no %s", c.name, c.id)
			continue
		}
		note := ""
		if d.Note != nil {
			note = *d.Note
		}
		if note != c.note || d.Class != change.Breaking {
			t.Errorf("%s: %s, noted %q, want %q", c.name, d.Class, note, c.note)
		}
	}
}
