package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/countersign/countersign/internal/testkit"
)

// TestDocumentedCommandsExist looks up every command line of the documentation, and of
// what people install from, in the grammar: a command or a flag that is not there would
// leave an operator with an error at the worst moment.
func TestDocumentedCommandsExist(t *testing.T) {
	k, err := kong.New(&grammar{})
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for file, lines := range commandLines(t) {
		for _, line := range lines {
			seen++
			if fault := lookUp(k.Model.Node, strings.Fields(line)); fault != "" {
				t.Errorf("%s: countersign %s: %s", file, line, fault)
			}
		}
	}
	if seen < 60 {
		t.Errorf("found only %d command lines", seen)
	}
	for line, bad := range map[string]bool{"server add shop --policy team": false, "server frob": true, "purge --text-file x --forse": true, "user reset-link EMAIL": false, "sever list": true} {
		if fault := lookUp(k.Model.Node, strings.Fields(line)); (fault != "") != bad {
			t.Errorf("%s: %q", line, fault)
		}
	}
}

var (
	fence    = regexp.MustCompile("(?s)```.*?```")
	inline   = regexp.MustCompile("`countersign ([^`]+)`")
	inFence  = regexp.MustCompile(`(?m)(?:^|[\s/])countersign ([a-z][^\n|&;#>)']*)`)
	jsonForm = regexp.MustCompile(`(?m)^(?:HEALTHCHECK .*)?CMD (\[.*\])$`)
)

// commandLines returns what stands behind the name of the program, by file.
func commandLines(t *testing.T) map[string][]string {
	t.Helper()
	root := testkit.Root()
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][]string{}
	for _, path := range append(pages, filepath.Join(root, "README.md")) {
		text := read(t, path)
		for _, block := range fence.FindAllString(text, -1) {
			block = strings.ReplaceAll(block, "\\\n", " ") // lines that go on
			if !strings.HasPrefix(block, "```sh") && !strings.HasPrefix(block, "```\n") && !strings.HasPrefix(block, "```y") {
				continue
			}
			for _, m := range inFence.FindAllStringSubmatch(block, -1) {
				line := strings.TrimPrefix(m[1], "countersign ")                                                          // behind the name of a database
				if word, _, _ := strings.Cut(line, " "); word != "sh" && word != "exec" && !strings.Contains(word, "/") { // else it names a user or a container
					found[path] = append(found[path], line)
				}
			}
		}
		for _, m := range inline.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
			found[path] = append(found[path], m[1])
		}
	}
	unit := filepath.Join(root, "packaging", "countersign.service")
	for _, m := range regexp.MustCompile(`(?m)^Exec\w+=/usr/local/bin/countersign (.*)$`).FindAllStringSubmatch(read(t, unit), -1) {
		found[unit] = append(found[unit], m[1])
	}
	image := filepath.Join(root, "Dockerfile")
	for _, m := range jsonForm.FindAllStringSubmatch(read(t, image), -1) {
		var words []string
		if err := json.Unmarshal([]byte(m[1]), &words); err != nil {
			t.Fatal(err)
		}
		found[image] = append(found[image], strings.TrimPrefix(strings.Join(words, " "), "/countersign "))
	}
	if len(found[unit]) == 0 || len(found[image]) != 2 {
		t.Errorf("the unit starts %q, the image %q", found[unit], found[image])
	}
	return found
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// lookUp says what of a command line the grammar does not have, "" for nothing.
func lookUp(at *kong.Node, words []string) string {
	for i, word := range words {
		word = strings.Trim(word, "[](),.:\"")
		switch {
		case strings.HasPrefix(word, "--"):
			name, _, _ := strings.Cut(strings.TrimLeft(word, "-"), "=")
			if !hasFlag(at, name) {
				return "there is no flag --" + name
			}
		case len(at.Children) > 0 && !strings.HasPrefix(word, "-"):
			next := slices.IndexFunc(at.Children, func(n *kong.Node) bool { return slices.Contains(strings.Split(word, "|"), n.Name) })
			if next < 0 {
				return fmt.Sprintf("there is no command %q (word %d)", word, i+1)
			}
			at = at.Children[next]
		}
	}
	return ""
}

func hasFlag(n *kong.Node, name string) bool {
	for _, group := range n.AllFlags(false) {
		if slices.ContainsFunc(group, func(f *kong.Flag) bool { return f.Name == name }) {
			return true
		}
	}
	return false
}
