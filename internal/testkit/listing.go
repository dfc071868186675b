package testkit

import (
	"fmt"
	"strings"
)

// BigListing has n tools in families of ten. The first changed of them, spread over
// the listing, differ from one version to the next in a text, a bound and a default,
// each in its own way, so that no answer covers two of them.
func BigListing(n, changed, version int) string {
	tools := make([]string, n)
	for i := range tools {
		v := 1
		if i%(n/changed) == 0 {
			v = version
		}
		tools[i] = fmt.Sprintf(`{"name":"family%d_act%d","description":"Does what number %d asks for, version %d of the text.\nReturns a list of at most %d entries. Refused for archived items; ask the user before you repeat it.",`+
			`"annotations":{"destructiveHint":%t},"inputSchema":{"type":"object","properties":{`+
			`"id":{"type":"string","description":"Which one."},"limit":{"type":"integer","minimum":1,"maximum":%d,"default":%d},`+
			`"filter":{"type":"object","properties":{"state":{"type":"string","enum":["open","closed"]},"since":{"type":"string","format":"date"}}}},"required":["id"]}}`,
			i/10, i%10, i, v+i*(v-1), 10*v+i*(v-1), v > 1, 2000-i*(v-1), 10*v+i*(v-1))
	}
	return `{"tools":[` + strings.Join(tools, ",") + `]}`
}

// SharedListing has 240 tools in families of ten, of which 200 differ from the first
// version to any other. What changed is the same in all of a family, as it is when one
// hand changed a server, so that a dozen decisions answer for all of them.
func SharedListing(version int) string {
	const families, changed, size = 24, 20, 10
	tools := make([]string, 0, families*size)
	for f := range families {
		required, most, again, open := `"id"`, 100, true, true
		if version > 1 && f < changed {
			switch f % 4 {
			case 0:
				required += fmt.Sprintf(`,"scope%d"`, f)
			case 1:
				most -= f
			case 2:
				again = false
			default:
				open = false
			}
		}
		for n := range size {
			tools = append(tools, fmt.Sprintf(`{"name":"kind%d_act%d","description":"Does number %d for one item of kind %d.","annotations":{"idempotentHint":%t,"openWorldHint":%t},"inputSchema":{"type":"object","properties":{`+
				`"id":{"type":"string","description":"Which one."},"scope%d":{"type":"string","description":"Of which account."},"limit":{"type":"integer","minimum":1,"maximum":%d}},"required":[%s]}}`,
				f, n, n, f, again, open, f, most, required))
		}
	}
	return `{"tools":[` + strings.Join(tools, ",") + `]}`
}
