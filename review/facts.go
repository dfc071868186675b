package review

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/surface"
)

// facts puts together what the gate judges a candidate by.
func (l *loader) facts(as *assessment, url string) {
	f := gate.Facts{
		Policy: as.server.Policy, Engine: change.Engine, URL: url, Authors: as.authors,
		Listing: gate.Listing{
			Known: true, Kind: as.listing.Kind, Complete: as.listing.Complete, Analysed: true, At: as.listing.ReceivedAt,
			Emptied: emptied(as.listing),
		},
		Subjects: l.subjects(as),
		Verdicts: weighed(l.given[as.profile()], as.release),
		Problems: l.problems(as),
		People:   peopleOf(l.users, as.server.ID, l.factor || as.server.Policy.SecondFactor),
		Baseline: l.baselineFacts(as),
		Measured: as.measured,
		Now:      l.now, Overrides: l.overrideFacts(as),
		Findings: as.judged.listing,
		Matters:  as.matterIDs(),
	}
	if as.release.ID != "" { // a preview has no page to lead into
		lead(&f, url)
	}
	f.Policy.SecondFactor = f.Policy.SecondFactor || l.factor
	if as.base != nil {
		f.Base, f.BaseAt = as.base.Title(), as.base.ReleasedAt
	}
	if as.closed() && as.release.ReleasedOverride == "" {
		f.ReleasedAs, f.BaseAt = as.release.Title(), as.release.ReleasedAt
	} else {
		f.Threads = l.threadFacts(as, url)
	}
	if as.release.withdrawn() {
		f.Withdrawn = as.release.WithdrawnReason
	}
	f.Superseded, f.Outdated = as.release.overtaken(as.line), as.outdated()
	as.facts, as.given = f, givenIn(l.given[as.profile()], as.release)
}

// ListingPlace is what the page of a release calls the listing as a whole among tools.
const ListingPlace = "surface"

// lead says of each thing that is judged where the page of the release has it open.
func lead(f *gate.Facts, url string) {
	at := func(id string) string { return url + "?tool=" + id + "#tool" }
	changed := map[int]string{}
	for i := range f.Subjects {
		s := &f.Subjects[i]
		switch {
		case s.Change != "":
			s.URL = at(s.Change)
			changed[s.Position] = s.Change
		case s.Position > 0:
			s.URL = at(unchangedPlace(s.Position))
		default:
			s.URL = at(ListingPlace)
		}
	}
	for i := range f.Problems {
		p := &f.Problems[i]
		if p.URL = at(ListingPlace); p.Position > 0 {
			p.URL = at(cmp.Or(changed[p.Position], unchangedPlace(p.Position)))
		}
	}
	for i := range f.Findings {
		f.Findings[i].URL = at(ListingPlace)
	}
}

// unchangedPlace is what the page of a release calls a tool that did not change.
func unchangedPlace(position int) string { return "n" + strconv.Itoa(position) }

// matterIDs names the changes that one answer can cover, for each such answer. What no
// answer for several tools covers is left out: it takes an answer of its own.
func (as *assessment) matterIDs() [][]string {
	o := as.outline
	lonely := map[int]bool{}
	for _, places := range o.Matters {
		for _, n := range places {
			c := &o.Changes[n]
			if len(places) > 1 && (c.Hidden || c.Disarms || c.Kind == change.Added && c.Destructive || as.findingsOf(c.Subject, c.NewPosition).High()) {
				lonely[n] = true
			}
		}
	}
	all := make([][]string, len(o.Matters))
	for i, places := range o.Matters {
		for _, n := range places {
			if !lonely[n] {
				all[i] = append(all[i], o.Changes[n].ID)
			}
		}
	}
	return all
}

// emptied reports whether a listing has no tools and waits for the pusher's word
// that this is meant.
func emptied(l ListingInfo) bool {
	return !l.Complete && l.ToolCount == 0 && l.Kind == surface.KindListing
}

// subjects lists the tools of the candidate in their order, then what is gone,
// then instructions and order.
func (l *loader) subjects(as *assessment) []gate.Subject {
	changed := map[int]*outlined{} // by position in the candidate
	var others []*outlined
	instructions := false
	for i := range as.outline.Changes {
		c := &as.outline.Changes[i]
		if c.Subject == change.SubjectTool && c.NewPosition > 0 {
			changed[c.NewPosition] = c
			continue
		}
		instructions = instructions || c.Subject == change.SubjectInstructions
		others = append(others, c)
	}
	family, own := as.familyOf(), l.ownIn(as)
	subjects := make([]gate.Subject, 0, len(as.candidate.tools)+len(others)+1)
	for _, t := range as.candidate.tools {
		s := gate.Subject{
			Subject: change.SubjectTool, Name: t.Name, Position: t.Position, From: t.Digest, To: t.Digest,
			Findings: as.findingsOf(change.SubjectTool, t.Position), Alone: own[t.Digest],
		}
		if c := changed[t.Position]; c != nil {
			s = l.subject(as, c)
			s.Name, s.Position, s.Family = t.Name, t.Position, family[t.Name]
			s.FromName, s.FromFamily = string(c.Name), family[string(c.Name)]
		}
		subjects = append(subjects, s)
	}
	for _, c := range others {
		s := l.subject(as, c)
		s.Name, s.Family = string(c.Name), family[string(c.Name)]
		subjects = append(subjects, s)
	}
	if h := as.outline.Instructions; !instructions && !h.IsZero() && as.base != nil {
		subjects = append(subjects, gate.Subject{
			Subject: change.SubjectInstructions, From: h, To: h, Findings: as.findingsOf(change.SubjectInstructions, 0), Alone: own[h],
		})
	}
	return subjects
}

// subject is a changed subject, with what already vouches for its bytes.
func (l *loader) subject(as *assessment, c *outlined) gate.Subject {
	k := bytesKey{c.Subject, c.To}
	s := gate.Subject{
		Subject: c.Subject, From: c.From, To: c.To, Kind: c.Kind, Class: c.Class, Change: c.ID, Hidden: c.Hidden,
		Destructive: c.Destructive, Default: c.Default,
		Findings: as.findingsOf(c.Subject, c.NewPosition),
	}
	s.Alone = l.ownIn(as)[c.From]
	if as.closed() && !c.To.IsZero() {
		s.Alone = l.ownIn(as)[c.To]
	}
	if r, ok := l.standing[as.profile()][k]; ok && !c.To.IsZero() && len(l.alarmed[r.ReleaseID]) == 0 {
		s.Released = gate.Release{Title: r.Title, At: l.releasedAt[r.ReleaseID], Alone: l.byAuthors[r.ReleaseID][c.To]}
	}
	if b := l.baseline[as.profile()]; b != nil {
		s.Baseline = b.covers[k] && !c.To.IsZero()
	}
	return s
}

// weighed turns the verdicts that nobody revoked into the gate's, as they count in a
// release.
func weighed(given []Verdict, r *Release) []gate.Verdict {
	var out []gate.Verdict
	for i := range given {
		if v := &given[i]; v.RevokedAt.IsZero() {
			f := v.fact()
			f.Ended = v.endedIn(r)
			out = append(out, f)
		}
	}
	return out
}

// givenIn returns verdicts as a release sees them: what ended in it is used up there.
func givenIn(given []Verdict, r *Release) []Verdict {
	out := slices.Clone(given)
	for i := range out {
		out[i].UsedUp = out[i].endedIn(r) != nil
	}
	return out
}

// counts reports whether a verdict is neither revoked nor, as the approval of a
// removal, used up.
func (v *Verdict) counts() bool { return v.RevokedAt.IsZero() && !v.UsedUp }

func (v *Verdict) fact() gate.Verdict {
	return gate.Verdict{
		ID: v.ID, Subject: v.Subject, Name: v.Name, From: v.From, To: v.To, Edit: v.Edit, Kind: gate.VerdictKind(v.Kind),
		Note: v.Note, Person: v.UserID, Label: v.UserLabel, Own: v.OwnPush, Shell: v.ShellToken, At: v.At, Evidence: v.Evidence,
	}
}

// errors returns the candidate's problems of level error, two tools of one name
// among them whatever the reader made of it.
func (as *assessment) errors() []surface.Problem {
	var errs []surface.Problem
	reported := map[int]bool{}
	for _, p := range as.listing.Problems {
		if p.Level == surface.LevelError {
			errs = append(errs, p)
			reported[p.Position] = reported[p.Position] || p.Code == codeDuplicate
		}
	}
	for name, same := range namesakes(as.candidate.tools) {
		for _, t := range same {
			if !reported[t.Position] {
				errs = append(errs, surface.Problem{
					Code: codeDuplicate, Level: surface.LevelError, Tool: name, Position: t.Position,
					Message: "Another tool of this listing has the same name.",
				})
			}
		}
	}
	slices.SortStableFunc(errs, func(a, b surface.Problem) int { return a.Position - b.Position })
	return errs
}

// codeDuplicate is the code of two tools of one name, see docs/reading.md.
const codeDuplicate = "name-duplicate"

// namesakes returns the tools that share a name with another.
func namesakes(tools []ToolRef) map[string][]ToolRef {
	times := make(map[string]int, len(tools))
	for i := range tools {
		times[tools[i].Name]++
	}
	byName := map[string][]ToolRef{}
	for _, t := range tools {
		if t.Name != "" && times[t.Name] > 1 {
			byName[t.Name] = append(byName[t.Name], t)
		}
	}
	return byName
}

// problems turns errors into the gate's. An acknowledgement in the baseline holds
// for the same bytes; of namesakes, for the same ones in the same order, since the
// order decides which of them a host calls.
func (l *loader) problems(as *assessment) []gate.Problem {
	b := l.baseline[as.profile()]
	twins := namesakes(as.candidate.tools)
	var out []gate.Problem
	for _, p := range as.errors() {
		f := gate.Problem{Position: p.Position, Tool: p.Tool, Code: p.Code, Message: p.Message}
		if b != nil && p.Position == 0 {
			f.Acknowledged = b.listing && b.Digest == as.listing.Digest
		}
		if b != nil && p.Position > 0 && p.Position <= len(as.candidate.tools) {
			t := as.candidate.tools[p.Position-1]
			f.Acknowledged = b.acknowledged[t.Digest]
			if p.Code == codeDuplicate {
				f.Acknowledged = f.Acknowledged && slices.Equal(b.twins[t.Name], digestsOf(twins[t.Name]))
			}
		}
		out = append(out, f)
	}
	return out
}

func (l *loader) baselineFacts(as *assessment) gate.Baseline {
	if b := l.baseline[as.profile()]; b != nil {
		return gate.Baseline{By: b.ByLabel, ByID: b.By, At: b.At}
	}
	return gate.Baseline{Open: as.base == nil && !as.release.released()}
}

// threadFacts returns the blocking threads of the profile. They follow the tool
// through its versions, so that one opened on an earlier release still blocks.
func (l *loader) threadFacts(as *assessment, url string) []gate.Thread {
	var out []gate.Thread
	for _, t := range l.blocking {
		if (ProfileKey{t.ServerID, t.Profile}) == as.profile() && (t.Blocks || as.server.Policy.AllThreads) {
			as.blocking = append(as.blocking, t)
			out = append(out, gate.Thread{ID: t.ID, Tool: t.Anchor.Tool, OpenedBy: t.OpenedBy, URL: url + "?view=threads#t-" + t.ID})
		}
	}
	return out
}

// peopleOf says what accounts are to a server; where a second factor is asked for,
// nobody decides without one.
func peopleOf(users []people.User, serverID string, factor bool) []gate.Person {
	out := make([]gate.Person, 0, len(users))
	for i := range users {
		p := personOf(&users[i], serverID)
		p.Decides = p.Decides && (!factor || users[i].HasSecondFactor())
		out = append(out, p)
	}
	return out
}

func personOf(u *people.User, serverID string) gate.Person {
	role := u.RoleOn(serverID)
	return gate.Person{
		ID: u.ID, Label: u.Label(), Email: u.Email, InvitedBy: u.InvitedBy, Since: u.Since(),
		Decides: role.AtLeast(people.Reviewer), Maintainer: role.AtLeast(people.Maintainer),
		Left: !role.AtLeast(people.Reviewer),
	}
}
