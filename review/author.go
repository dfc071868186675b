package review

import (
	"bytes"
	"context"
	"slices"

	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/surface"
)

// Author says that a person or a token brought something to a profile. Exactly one
// of UserID and TokenID is set.
type Author struct {
	ServerID string
	Profile  string
	Key      surface.Hash // see brought
	UserID   string
	TokenID  string
}

// AuthorStore keeps who brought what. It outlives the release in which it was
// brought: else bytes pushed again under another version, without an author, would
// be nobody's, and their author could approve them.
type AuthorStore interface {
	// InsertAuthors adds those that are not kept yet.
	InsertAuthors(ctx context.Context, as []Author) error
	// Authors returns those of the profiles whose key is one of keys.
	Authors(ctx context.Context, profiles []ProfileKey, keys []surface.Hash) ([]Author, error)
}

// brought is the key of what a change brings: the digest of the bytes that come, or
// for a removal a hash of its own, since whoever removes bytes did not write them.
func (c *outlined) brought() surface.Hash {
	if c.Kind == change.Removed {
		return surface.HashOf(append([]byte("removed\x00"), c.From[:]...))
	}
	return c.To
}

// authorship is what people and tokens brought with the candidate, against its gate base.
func (as *assessment) authorship(people, tokens []string) []Author {
	var all []Author
	for _, a := range authorsOf(as.profile(), people, tokens) {
		for i := range as.outline.Changes {
			a.Key = as.outline.Changes[i].brought()
			all = append(all, a)
		}
	}
	return all
}

// pushers are the people and the tokens behind the revisions of a release.
func pushers(ctx context.Context, tx Tx, releaseID string) (people, tokens []string, err error) {
	revisions, err := tx.Revisions(ctx, []string{releaseID})
	for i := range revisions {
		r := &revisions[i]
		people, tokens = append(people, r.PusherID, r.AuthorID), append(tokens, r.TokenID)
	}
	return distinct(people), distinct(tokens), err
}

// distinct are the ids that are some, sorted, each once.
func distinct(ids []string) []string {
	slices.Sort(ids)
	return slices.DeleteFunc(slices.Compact(ids), func(id string) bool { return id == "" })
}

// authorsOf are people and tokens as authors in a profile, each once; "" is nobody.
func authorsOf(in ProfileKey, people, tokens []string) []Author {
	var all []Author
	add := func(a Author) {
		if a.ServerID, a.Profile = in.ServerID, in.Profile; a.UserID+a.TokenID != "" && !slices.Contains(all, a) {
			all = append(all, a)
		}
	}
	for _, id := range people {
		add(Author{UserID: id})
	}
	for _, id := range tokens {
		add(Author{TokenID: id})
	}
	return all
}

// newlyBrought are the keys of those among all that are not known, sorted.
func newlyBrought(all, known []Author) []surface.Hash {
	have := map[Author]bool{}
	for _, a := range known {
		have[a] = true
	}
	var keys []surface.Hash
	for _, a := range all {
		if !have[a] {
			keys = append(keys, a.Key)
		}
	}
	slices.SortFunc(keys, func(a, b surface.Hash) int { return bytes.Compare(a[:], b[:]) })
	return slices.Compact(keys)
}

// brought adds to each candidate who brought any of its changes in another release.
func (l *loader) brought() error {
	var keys []surface.Hash
	for _, as := range l.found {
		for i := range as.outline.Changes {
			keys = append(keys, as.outline.Changes[i].brought())
		}
	}
	if len(keys) == 0 {
		return nil
	}
	authors, err := l.tx.Authors(l.ctx, l.profiles(), keys)
	if err != nil {
		return err
	}
	by := map[ProfileKey]map[surface.Hash][]Author{}
	for _, a := range authors {
		p := ProfileKey{a.ServerID, a.Profile}
		if by[p] == nil {
			by[p] = map[surface.Hash][]Author{}
		}
		by[p][a.Key] = append(by[p][a.Key], a)
	}
	for _, as := range l.found {
		for i := range as.outline.Changes {
			for _, a := range by[as.profile()][as.outline.Changes[i].brought()] {
				as.joined(a.UserID, a.TokenID)
				as.known = append(as.known, a)
			}
		}
	}
	return nil
}

// joined adds a person and a token to those behind the candidate.
func (as *assessment) joined(userID, tokenID string) {
	if userID != "" && !slices.Contains(as.authors, userID) {
		as.authors = append(as.authors, userID)
	}
	if tokenID != "" && !slices.Contains(as.tokens, tokenID) {
		as.tokens = append(as.tokens, tokenID)
	}
}
