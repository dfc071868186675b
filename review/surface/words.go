package surface

import (
	_ "embed"
	"strings"
	"unicode"
)

//go:embed verbs.txt
var verbText string

// verbs are the words with which the name of a tool says what it does.
var verbs = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(verbText) {
		m[w] = true
	}
	return m
}()

// separators end a word of a name.
const separators = "_-./: "

// splitWords returns the words of a name in lower case: split at separators and at
// the humps of camel case (getUser, HTTPServer).
func splitWords(name string) []string {
	var words []string
	runes := []rune(name)
	start := 0
	cut := func(end int) {
		if end > start {
			words = append(words, strings.ToLower(string(runes[start:end])))
		}
	}
	for i, r := range runes {
		switch {
		case strings.ContainsRune(separators, r):
			cut(i)
			start = i + 1
		case i > start && isHump(runes, i):
			cut(i)
			start = i
		}
	}
	cut(len(runes))
	return words
}

// isHump reports whether a word begins at the upper-case letter i: behind a letter
// or digit that is not upper case, or as the last of several before a small one.
func isHump(runes []rune, i int) bool {
	if !unicode.IsUpper(runes[i]) {
		return false
	}
	if !unicode.IsUpper(runes[i-1]) {
		return true
	}
	return i+1 < len(runes) && unicode.IsLower(runes[i+1])
}

// uncountable are words that end like a plural and are none, or none that is used.
var uncountable = wordSet(`alias atlas bias canvas chaos christmas gas lens pancreas texas
	access analytics aws bash business chess compass cross devops economics ethics express graphics html5 ios
	jenkins kubernetes logistics macos mathematics news ops physics politics postgres redis sales series sms
	species sts tls dns css js https nodejs nextjs`)

// irregular are plurals that no rule finds.
var irregular = map[string]string{
	"people": "person", "children": "child", "men": "man", "women": "woman", "mice": "mouse",
	"indices": "index", "matrices": "matrix", "vertices": "vertex", "appendices": "appendix",
	"analyses": "analysis", "bases": "base", "crises": "crisis", "axes": "axis", "criteria": "criterion",
	"aliases": "alias", "canvases": "canvas", "biases": "bias", "buses": "bus", "lenses": "lens", "gases": "gas",
	"caches": "cache", "movies": "movie", "cookies": "cookie", "shoes": "shoe", "quizzes": "quiz",
	"leaves": "leaf", "shelves": "shelf", "lives": "life", "knives": "knife", "wolves": "wolf", "halves": "half",
	"ids": "id", "prs": "pr", "mrs": "mr", "vms": "vm", "ads": "ad", "dbs": "db", "ips": "ip", "urls": "url", "apis": "api",
}

func wordSet(text string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(text) {
		m[w] = true
	}
	return m
}

// singular returns the singular of an English noun in lower case, as far as its
// ending tells. Words of three letters are left alone: they are mostly acronyms.
func singular(w string) string {
	if s, ok := irregular[w]; ok {
		return s
	}
	if len(w) <= 3 || uncountable[w] || !strings.HasSuffix(w, "s") {
		return w
	}
	for _, end := range []string{"ss", "us", "is"} {
		if strings.HasSuffix(w, end) {
			return w // address, status, analysis
		}
	}
	if strings.HasSuffix(w, "ies") && len(w) > 4 {
		return w[:len(w)-3] + "y"
	}
	for _, end := range []string{"sses", "xes", "ches", "shes", "zzes", "tuses", "ruses", "nuses", "puses", "roes", "toes"} {
		if strings.HasSuffix(w, end) {
			return w[:len(w)-2] // classes, boxes, branches, statuses, heroes
		}
	}
	return w[:len(w)-1]
}
