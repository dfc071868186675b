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

// longName is how many characters of a name are read. What a team sorts by stands at
// the front; a name of a megabyte is an attack.
const longName = 512

// splitWords returns the words of a name in lower case: split at separators and at
// the humps of camel case (getUser, HTTPServer).
func splitWords(name string) []string {
	var words []string
	runes := []rune(name[:min(len(name), 4*longName)])
	runes = runes[:min(len(runes), longName)]
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
// or digit that is not upper case, or as the last of several before a small one
// (but for the s of a plural: listVMs).
func isHump(runes []rune, i int) bool {
	if !unicode.IsUpper(runes[i]) {
		return false
	}
	if !unicode.IsUpper(runes[i-1]) {
		return true
	}
	plural := i+1 < len(runes) && runes[i+1] == 's' && (i+2 == len(runes) || !unicode.IsLower(runes[i+2]))
	return i+1 < len(runes) && unicode.IsLower(runes[i+1]) && !plural
}

// uncountable are words that end like a plural and are none, or none that is used.
var uncountable = wordSet(`access alias analytics atlas axis bias business canvas chaos chassis christmas
	compass debris devops economics ethics express graphics iris jenkins kubernetes lens logistics macos
	mathematics news paris physics politics postgres redis sales series species tennis texas travis
	https nodejs nextjs`)

// irregular are plurals that no rule finds.
var irregular = map[string]string{
	"people": "person", "children": "child", "men": "man", "women": "woman", "mice": "mouse",
	"indices": "index", "matrices": "matrix", "vertices": "vertex", "appendices": "appendix",
	"bases": "base", "axes": "axis", "criteria": "criterion",
	"aliases": "alias", "canvases": "canvas", "biases": "bias", "buses": "bus", "lenses": "lens", "gases": "gas",
	"caches": "cache", "movies": "movie", "cookies": "cookie", "shoes": "shoe", "quizzes": "quiz",
	"leaves": "leaf", "shelves": "shelf", "lives": "life", "knives": "knife", "wolves": "wolf", "halves": "half",
	"menus": "menu", "skus": "sku", "cpus": "cpu", "gpus": "gpu",
	"ids": "id", "prs": "pr", "mrs": "mr", "vms": "vm", "ads": "ad", "dbs": "db", "ips": "ip",
}

// endings of the plural with what the singular has instead, longest first. Words
// that none of them fits lose their s.
var endings = []struct{ plural, singular string }{
	{"lyses", "lysis"}, {"noses", "nosis"}, {"theses", "thesis"}, {"crises", "crisis"}, // analyses
	{"tuses", "tus"}, {"ruses", "rus"}, {"nuses", "nus"}, {"puses", "pus"}, // statuses
	{"sses", "ss"}, {"ches", "ch"}, {"shes", "sh"}, {"zzes", "zz"}, {"roes", "ro"}, {"toes", "to"}, // branches, heroes
	{"xes", "x"}, {"ies", "y"}, // boxes, categories
	{"sis", "sis"}, {"ss", "ss"}, {"us", "us"}, // analysis, address, status: no plurals
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
	for _, e := range endings {
		if stem, ok := strings.CutSuffix(w, e.plural); ok && len(stem) > 1 {
			return stem + e.singular
		}
	}
	return w[:len(w)-1]
}
