// Package api holds the JSON types of the HTTP API, version 1, and its OpenAPI
// description. Fields may be added, never renamed or removed; their order in a
// struct is their order on the wire. The package knows nothing of the workflow:
// package web turns its values into these, package client reads them.
package api

// ProblemType is the content type of a Problem (RFC 9457).
const ProblemType = "application/problem+json"

// Problem is the body of every answer that is an error.
type Problem struct {
	Type     string       `json:"type"`
	Title    string       `json:"title"`
	Status   int          `json:"status"`
	Detail   string       `json:"detail"`         // what happened and what to do, for a person
	Kind     string       `json:"kind"`           // such as "stale": what a program may act on
	Code     string       `json:"code,omitempty"` // such as "version_reused", where a program has to tell one from others of its kind
	Request  string       `json:"request"`
	Problems []InputError `json:"problems,omitempty"` // places in what was sent
	Current  any          `json:"current,omitempty"`  // of a stale request: what is true now
}

// InputError is one place in a request, or in a listing, that is wrong or odd.
type InputError struct {
	Code     string `json:"code"`
	Level    string `json:"level"` // "info", "warning" or "error"
	Tool     string `json:"tool,omitempty"`
	Position int    `json:"position,omitempty"` // of the tool, from 1; absent for the listing
	Pointer  string `json:"pointer"`            // RFC 6901, within the tool or the whole
	Line     int    `json:"line,omitempty"`     // from 1
	Column   int    `json:"column,omitempty"`   // from 1, in bytes
	Message  string `json:"message"`
}
