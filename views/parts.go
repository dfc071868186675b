package views

import "github.com/countersign/countersign/review/prose"

// Problem is one thing that is wrong with a payload.
type Problem struct {
	Tone    Tone
	Icon    string
	Level   string // "error"
	Message Sentence
	Tool    prose.Visible // nil when it is about the whole
	Where   []string      // "line 812, column 5", "at /inputSchema"
	Code    string
}
