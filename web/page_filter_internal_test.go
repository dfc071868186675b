package web

import (
	"testing"

	"github.com/countersign/countersign/review/change"
)

func TestFiltersCombine(t *testing.T) {
	breakingMine := facets{class: change.Breaking, me: true}
	text := facets{class: change.Text, threads: true}
	tests := []struct {
		filter       string
		first, other bool // kept of the two
	}{
		{"", true, true},
		{"breaking", true, false},
		{"breaking,text", true, true}, // classes are alternatives
		{"breaking,text,me", true, false},
		{"me,threads", false, false}, // all else narrows
		{"threads", false, true},
		{"no such filter", true, true},
	}
	for _, tt := range tests {
		if first, other := keeps(tt.filter, breakingMine), keeps(tt.filter, text); first != tt.first || other != tt.other {
			t.Errorf("%q keeps %t and %t, want %t and %t", tt.filter, first, other, tt.first, tt.other)
		}
	}
	for _, tt := range []struct{ filter, value, want string }{{"", "me", "me"}, {"me", "text", "me,text"}, {"me,text", "me", "text"}, {"me", "me", ""}} {
		if got := toggled(tt.filter, tt.value); got != tt.want {
			t.Errorf("%q with %q toggled is %q, want %q", tt.filter, tt.value, got, tt.want)
		}
	}
	if got := withFilter([]string{"breaking", "me"}, "text"); got != "text,me" {
		t.Errorf("the pill of another class counts %q", got)
	}
}
