package report_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/report"
)

func TestWindow(t *testing.T) {
	rows := change.Window([]change.Known{{Label: "1.0", Listing: read(t, one)}, {Label: "1.1", Listing: read(t, two)}}, read(t, two), change.Options{})
	b, err := report.Window(rows)
	if err != nil {
		t.Fatal(err)
	}
	want := `^{"to":"sha256:[0-9a-f]{64}","rows":\[{"label":"1.0","from":"sha256:[0-9a-f]{64}","fit":"fails","failures":\[{"tool":"tide_now","fit":"fails","sentence":"Calls without ` + "`unit`" + ` are now rejected.","witness":{.*}}\],"note":null},{"label":"1.1","from":"sha256:[0-9a-f]{64}","fit":"works","failures":\[\],"note":null}\]}$`
	if !regexp.MustCompile(want).Match(b) {
		t.Errorf("got %s", b)
	}
	text := report.WindowText(rows)
	if !strings.Contains(text, "1.0: some old calls fail") || !strings.Contains(text, "1.1: every old call still works") {
		t.Errorf("got\n%s", text)
	}
}
