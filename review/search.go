package review

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/countersign/countersign/review/surface"
)

// SearchText is what can be found of one tool: its texts, folded, one a line.
type SearchText struct {
	RawHash surface.Hash
	Name    string
	Folded  string // name first; without hidden characters, in lower case
}

// SearchHead says which listing of a profile is searched: the newest that was
// pushed with a version, since a branch is nobody's surface yet.
type SearchHead struct {
	ProfileKey
	ListingID string
}

// SearchHit is a tool that holds all words.
type SearchHit struct {
	SearchHead
	Name    string
	RawHash surface.Hash
}

// CommentHit is a comment that holds all words, with its thread.
type CommentHit struct {
	Thread  Thread // without comments
	Comment Comment
}

// SearchStore keeps what is searched.
type SearchStore interface {
	// PutSearch makes the tools of those raw hashes, each named once, what is searched of
	// the profile's head, and forgets what was there and is not among them. It asks for
	// the text of those only that were not there.
	PutSearch(ctx context.Context, h SearchHead, raws []surface.Hash, text func(surface.Hash) SearchText) error
	// Unsearched returns the heads that ought to be searched and are not: of every
	// profile the newest listing that was pushed with a version.
	Unsearched(ctx context.Context) ([]SearchHead, error)
	// FindTools returns at most limit tools of the servers that hold every word,
	// those first that hold the first word in their name. Words are folded.
	FindTools(ctx context.Context, serverIDs, words []string, limit int) ([]SearchHit, error)
	// FindComments does the same for comments, newest first, ASCII letters alike in
	// either case.
	FindComments(ctx context.Context, serverIDs, words []string, limit int) ([]CommentHit, error)
}

// Found is what a search brought up, of what the actor may see.
type Found struct {
	Query       string
	Words       []string // that were looked for, folded
	Servers     []Server
	Tools       []FoundTool
	MoreTools   bool // there are more
	Threads     []FoundThread
	MoreThreads bool
}

// FoundTool is a tool of a listing, with the texts that hold a word.
type FoundTool struct {
	Server    Server
	Profile   string
	ListingID string
	Position  int // in the listing
	Name      string
	Texts     []FoundText
}

// FoundText is a text of a tool and where it stands.
type FoundText struct {
	Pointer string // "/description"
	Text    string
}

// FoundThread is a comment that holds the words.
type FoundThread struct {
	Server  Server
	Release string // title
	CommentHit
}

const (
	mostFound = 50 // tools, and comments
	mostWords = 6
	// A tool of one megabyte is not searched beyond this; names come first.
	mostSearchBytes = 64 << 10
)

// Search finds servers, tools and comments that hold every word of a query, in what
// the actor may see, with a number of store calls that does not grow with what there
// is. A query without a word finds nothing.
func (s *Service) Search(ctx context.Context, a Actor, query string) (*Found, error) {
	f := &Found{Query: query, Words: searchWords(query)}
	err := s.store.View(ctx, func(tx Tx) error {
		servers, err := serversRead(ctx, tx, a)
		if err != nil || len(f.Words) == 0 || len(servers) == 0 {
			return err
		}
		byID := map[string]Server{}
		var ids []string
		for _, srv := range servers {
			ids = append(ids, srv.ID)
			byID[srv.ID] = srv
			if holdsAll(Fold(srv.Slug+"\n"+srv.Name), f.Words) {
				f.Servers = append(f.Servers, srv)
			}
		}
		if err := f.findTools(ctx, tx, ids, byID); err != nil {
			return err
		}
		return f.findThreads(ctx, tx, ids, byID)
	})
	return f, err
}

func (f *Found) findTools(ctx context.Context, tx Tx, ids []string, byID map[string]Server) error {
	hits, err := tx.FindTools(ctx, ids, f.Words, mostFound+1)
	if err != nil || len(hits) == 0 {
		return err
	}
	if len(hits) > mostFound {
		hits, f.MoreTools = hits[:mostFound], true
	}
	var hashes []surface.Hash
	listings := map[string]bool{}
	for _, h := range hits {
		hashes = append(hashes, h.RawHash)
		listings[h.ListingID] = true
	}
	slices.SortFunc(hashes, func(a, b surface.Hash) int { return slices.Compare(a[:], b[:]) })
	raw, err := tx.Slices(ctx, slices.Compact(hashes))
	if err != nil {
		return err
	}
	refs, err := tx.ToolRefs(ctx, keysOf(listings))
	if err != nil {
		return err
	}
	for _, h := range hits {
		t := FoundTool{Server: byID[h.ServerID], Profile: h.Profile, ListingID: h.ListingID, Name: h.Name}
		for _, r := range refs[h.ListingID] {
			if r.RawHash == h.RawHash {
				t.Position = r.Position
				break
			}
		}
		if tool, err := surface.NewTool(t.Position, jsontext.Value(raw[h.RawHash])); err == nil {
			for _, text := range toolTexts(&tool) {
				if text.Pointer != "/name" && holdsAny(Fold(text.Text), f.Words) {
					t.Texts = append(t.Texts, text)
				}
			}
		}
		f.Tools = append(f.Tools, t)
	}
	return nil
}

func keysOf(set map[string]bool) []string {
	var out []string
	for k := range set {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

func (f *Found) findThreads(ctx context.Context, tx Tx, ids []string, byID map[string]Server) error {
	hits, err := tx.FindComments(ctx, ids, f.Words, mostFound+1)
	if err != nil || len(hits) == 0 {
		return err
	}
	if len(hits) > mostFound {
		hits, f.MoreThreads = hits[:mostFound], true
	}
	var releases []string
	for _, h := range hits {
		releases = append(releases, h.Thread.ReleaseID)
	}
	rs, err := tx.ReleasesByID(ctx, releases)
	if err != nil {
		return err
	}
	titles := map[string]string{}
	for i := range rs {
		titles[rs[i].ID] = rs[i].Title()
	}
	for _, h := range hits {
		f.Threads = append(f.Threads, FoundThread{Server: byID[h.Thread.ServerID], Release: titles[h.Thread.ReleaseID], CommentHit: h})
	}
	return nil
}

// Fold makes two texts alike that a reader takes for the same word: lower case, and
// without characters that nobody sees.
func Fold(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == unicode.ReplacementChar, r == 0, unicode.Is(unicode.Cf, r):
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}

func searchWords(query string) []string {
	words := strings.Fields(Fold(query))
	return words[:min(mostWords, len(words))]
}

func holdsAll(folded string, words []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(folded, w) })
}

func holdsAny(folded string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(folded, w) })
}

// toolTexts are the texts of a tool that a person would look for, in the order in
// which a model reads them: names of properties are texts too.
func toolTexts(t *surface.Tool) []FoundText {
	out := []FoundText{{"/name", t.Name}}
	add := func(pointer string, text string, ok bool) {
		if ok && text != "" {
			out = append(out, FoundText{pointer, text})
		}
	}
	title, ok := t.Title()
	add("/title", title, ok)
	description, ok := t.Description()
	add("/description", description, ok)
	if v, ok := t.InputSchema(); ok {
		out = schemaTexts(out, "/inputSchema", v)
	}
	if v, ok := t.OutputSchema(); ok {
		out = schemaTexts(out, "/outputSchema", v)
	}
	return out
}

// WordsOf counts the words of a tool that somebody who decides has to read: its title,
// its description, and those of its parameters and results.
func WordsOf(t *surface.Tool) int {
	n := 0
	for _, text := range toolTexts(t) {
		if strings.HasSuffix(text.Pointer, "/description") || strings.HasSuffix(text.Pointer, "/title") {
			n += len(strings.Fields(text.Text))
		}
	}
	return n
}

var pointerEscape = strings.NewReplacer("~", "~0", "/", "~1")

// schemaTexts adds the names of properties and the texts of a schema. A listing is
// bounded in depth when it is read, so this is too.
func schemaTexts(out []FoundText, at string, v jsontext.Value) []FoundText {
	for name, member := range surface.Members(v) {
		under := at + "/" + pointerEscape.Replace(name)
		switch name {
		case "title", "description", "const", "default", "pattern":
			if text, ok := surface.DecodeString(member); ok && text != "" {
				out = append(out, FoundText{under, text})
			}
		case "enum", "examples":
			for e := range surface.Elements(member) {
				if text, ok := surface.DecodeString(e); ok && text != "" {
					out = append(out, FoundText{under, text})
				}
			}
		case "properties", "patternProperties", "$defs", "definitions":
			for property, s := range surface.Members(member) {
				place := under + "/" + pointerEscape.Replace(property)
				out = schemaTexts(append(out, FoundText{place, property}), place, s)
			}
		default:
			out = nestedTexts(out, under, member)
		}
	}
	return out
}

func nestedTexts(out []FoundText, at string, v jsontext.Value) []FoundText {
	switch v.Kind() {
	case '{':
		return schemaTexts(out, at, v)
	case '[':
		for e := range surface.Elements(v) {
			if e.Kind() == '{' {
				out = schemaTexts(out, at, e)
			}
		}
	}
	return out
}

// searchText folds what can be found of a tool.
func searchText(t *surface.Tool) SearchText {
	var b strings.Builder
	for _, text := range toolTexts(t) {
		if b.Len() >= mostSearchBytes {
			break
		}
		folded := Fold(text.Text)
		b.WriteString(folded[:min(len(folded), mostSearchBytes-b.Len())])
		b.WriteByte('\n')
	}
	return SearchText{RawHash: t.RawHash, Name: t.Name, Folded: strings.ToValidUTF8(b.String(), "")}
}

// index makes a listing what is searched of its profile.
func index(ctx context.Context, tx Tx, h SearchHead, l *surface.Listing) error {
	tools, raws := map[surface.Hash]*surface.Tool{}, make([]surface.Hash, 0, len(l.Tools))
	for i := range l.Tools {
		if t := &l.Tools[i]; tools[t.RawHash] == nil {
			tools[t.RawHash] = t
			raws = append(raws, t.RawHash)
		}
	}
	return tx.PutSearch(ctx, h, raws, func(raw surface.Hash) SearchText { return searchText(tools[raw]) })
}

// index makes a push with a version what is searched of its profile.
func (p *push) index(ctx context.Context, tx Tx, r *Release) error {
	if r.Version == "" || p.listing.Surface.Kind != surface.KindListing {
		return nil
	}
	return index(ctx, tx, SearchHead{ProfileKey{p.listing.ServerID, p.listing.Profile}, p.listing.ID}, p.listing.Surface)
}

// IndexAll makes searchable what was pushed before there was a search, profile by
// profile, and returns how many it did. It costs one query when there is nothing to
// do, and can be interrupted.
func (s *Service) IndexAll(ctx context.Context) (int, error) {
	var heads []SearchHead
	err := s.store.View(ctx, func(tx Tx) error {
		var err error
		heads, err = tx.Unsearched(ctx)
		return err
	})
	if err != nil {
		return 0, err
	}
	for i, h := range heads {
		err := s.store.Update(ctx, func(tx Tx) error {
			l, err := tx.ListingByID(ctx, h.ListingID)
			if err != nil {
				return err
			}
			return index(ctx, tx, h, l.Surface)
		})
		if err != nil {
			return i, err
		}
	}
	return len(heads), nil
}

// Hits returns where words, folded, stand in a text: bytes from and to, in order,
// none over another.
func Hits(text string, words []string) [][2]int {
	var folded strings.Builder
	var source []int // of every byte of folded, where its character begins in text
	for i, r := range text {
		f := Fold(string(r))
		folded.WriteString(f)
		for range len(f) {
			source = append(source, i)
		}
	}
	source = append(source, len(text))
	s := folded.String()
	next := make([]int, len(words)) // where each word stands next; looked for once each time it is passed
	for i, w := range words {
		next[i] = indexFrom(s, w, 0)
	}
	var hits [][2]int
	for {
		first := -1
		for i := range words {
			if next[i] < len(s) && (first < 0 || next[i] < next[first] || next[i] == next[first] && len(words[i]) > len(words[first])) {
				first = i
			}
		}
		if first < 0 {
			return hits
		}
		from, to := next[first], next[first]+len(words[first])
		hits = append(hits, [2]int{source[from], source[to]})
		for i, w := range words {
			if next[i] < to {
				next[i] = indexFrom(s, w, to)
			}
		}
	}
}

// indexFrom finds a word behind a place; len(s) when there is none.
func indexFrom(s, word string, from int) int {
	if i := strings.Index(s[from:], word); i >= 0 {
		return from + i
	}
	return len(s)
}
