package review

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
)

// Proposal is an act that lets more pass than before and so waits for a second
// person where there are two: nobody widens alone who decides, or what breaks. Edits
// of the policy have versions of their own, see [PolicyVersion].
type Proposal struct {
	ID        string
	ServerID  string // "" for every server
	Kind      ProposalKind
	State     ProposalState
	ByID      string // who asked
	By        string // label
	At        time.Time
	SecondID  string // who agreed or refused
	Second    string
	DecidedAt time.Time
	ProposalDetails
}

// ProposalDetails is what is asked for: a role or a permission of a user, or an alias.
type ProposalDetails struct {
	UserID     string         `json:"user_id,omitempty"`
	User       string         `json:"user,omitempty"` // label
	Role       people.Role    `json:"role,omitempty"`
	Permission Permission     `json:"permission,omitempty"`
	Alias      *ProposedAlias `json:"alias,omitempty"`
}

// ProposedAlias is an alias with its names as received, which may be no text.
type ProposedAlias struct {
	Profile string    `json:"profile"`
	Old     []byte    `json:"old"`
	New     []byte    `json:"new"`
	Note    string    `json:"note"`
	Until   time.Time `json:"until,omitzero"`
}

// ProposalKind says what is asked for.
type ProposalKind string

// The kinds.
const (
	ProposedRole   ProposalKind = "role"
	ProposedNaming ProposalKind = "alias"
	ProposedGrant  ProposalKind = "grant"
)

// ProposalState is where a proposal stands.
type ProposalState string

// The states.
const (
	ProposalWaits   ProposalState = "waits"
	ProposalAgreed  ProposalState = "agreed"
	ProposalRefused ProposalState = "refused"
)

// ProposalStore keeps proposals.
type ProposalStore interface {
	InsertProposal(ctx context.Context, p *Proposal) error
	// UpdateProposal decides one that waits; Conflict when it does not wait any more.
	UpdateProposal(ctx context.Context, p *Proposal) error
	ProposalByID(ctx context.Context, id string) (*Proposal, error)
	// WaitingProposals returns those of the servers, oldest first; the id "" is what is
	// about every server.
	WaitingProposals(ctx context.Context, serverIDs []string) ([]Proposal, error)
}

// WaitingProposal is a proposal as somebody sees it.
type WaitingProposal struct {
	Proposal
	Server   string   // name, "" for every server
	Mine     bool     // the actor asked for it
	MayAgree string   // "" or why the actor can't agree
	Who      []string // who can
}

// Proposals lists what waits for a second person on the servers that the actor
// maintains, and for administrators what is about every server.
func (s *Service) Proposals(ctx context.Context, a Actor) ([]WaitingProposal, error) {
	var out []WaitingProposal
	err := s.store.View(ctx, func(tx Tx) error {
		if err := a.allowAny(); err != nil {
			return err
		}
		servers, err := tx.Servers(ctx)
		if err != nil {
			return err
		}
		ids, names := []string{""}, map[string]string{}
		for _, srv := range servers {
			if a.role(srv.ID).AtLeast(people.Maintainer) {
				ids = append(ids, srv.ID)
				names[srv.ID] = srv.Name
			}
		}
		if !a.role("").AtLeast(people.Admin) {
			ids = ids[1:]
		}
		waiting, err := tx.WaitingProposals(ctx, ids)
		if err != nil {
			return err
		}
		users, err := tx.Users(ctx)
		for i := range waiting {
			p := &waiting[i]
			out = append(out, WaitingProposal{
				Proposal: *p, Server: names[p.ServerID], Mine: a.userID() != "" && a.userID() == p.ByID,
				MayAgree: sentenceOr(p.mayAgree(a, peopleOf(users, p.ServerID, false))),
				Who:      labelsOf(seconds(users, p.ByID, p.UserID, p.ServerID, p.needs(), p.At)),
			})
		}
		return err
	})
	return out, err
}

// propose keeps an act for a second person and tells who may agree.
func (s *Service) propose(ctx context.Context, tx Tx, a Actor, p *Proposal) error {
	p.ID, p.State, p.ByID, p.By, p.At = newID(), ProposalWaits, a.userID(), a.Label(), s.now()
	waiting, err := tx.WaitingProposals(ctx, []string{p.ServerID})
	if err != nil {
		return err
	}
	if slices.ContainsFunc(waiting, p.same) {
		return Errorf(Conflict, "The same waits for a second person already.")
	}
	if err := tx.InsertProposal(ctx, p); err != nil {
		return err
	}
	if err := s.tellSecond(ctx, tx, a, p.ServerID, p.UserID, NoticeAsked, p.Says()); err != nil {
		return err
	}
	return s.audit(ctx, tx, a, act{name: string(p.Kind) + ".propose", serverID: p.ServerID, subject: p.ID, after: p.ProposalDetails})
}

// same reports whether another proposal asks for the same.
func (p *Proposal) same(o Proposal) bool {
	if p.Kind != o.Kind {
		return false
	}
	if p.Kind != ProposedNaming {
		return p.UserID == o.UserID && p.Permission == o.Permission
	}
	return p.Alias.Profile == o.Alias.Profile && string(p.Alias.Old) == string(o.Alias.Old)
}

// Says is what is asked for, in words.
func (p *Proposal) Says() string {
	switch p.Kind {
	case ProposedRole:
		return fmt.Sprintf("%s is to be %s", p.User, p.Role)
	case ProposedGrant:
		return fmt.Sprintf("%s is to get the permission %s, which lets a listing pass without approval", p.User, p.Permission)
	}
	return fmt.Sprintf("%s is to stand for %s", visible(string(p.Alias.Old)), visible(string(p.Alias.New)))
}

// tellSecond tells those who can agree that something waits for one of them. What is about every server stands on the page
// that administrators look at.
func (s *Service) tellSecond(ctx context.Context, tx Tx, a Actor, serverID, about string, kind NoticeKind, text string) error {
	if serverID == "" {
		return nil
	}
	users, err := tx.Users(ctx)
	if err != nil {
		return err
	}
	var ns []Notice
	for _, u := range seconds(users, a.userID(), about, serverID, people.Maintainer, s.now()) {
		ns = append(ns, Notice{ID: newID(), UserID: u.ID, ServerID: serverID, Kind: kind, Actor: a.Label(), Text: text, At: s.now()})
	}
	if len(ns) == 0 {
		return nil
	}
	return tx.InsertNotices(ctx, ns)
}

// DecideProposal agrees to what waits for a second person, which does it then, or
// refuses it. Who asked, whoever counts as one person with them, and whom it is about
// can't agree.
func (s *Service) DecideProposal(ctx context.Context, a Actor, id string, agree bool) (*Proposal, error) {
	var p *Proposal
	err := s.store.Update(ctx, func(tx Tx) error {
		if err := a.person(); err != nil {
			return err
		}
		if err := a.scope(); err != nil {
			return err
		}
		if !slices.ContainsFunc(a.User.Memberships, func(m people.Membership) bool { return m.Role.AtLeast(people.Maintainer) }) {
			return Errorf(Forbidden, "This takes the role maintainer.")
		}
		var err error
		p, err = tx.ProposalByID(ctx, id)
		if KindOf(err) == NotFound || err == nil && !a.role(p.ServerID).AtLeast(p.needs()) {
			return Errorf(Conflict, "Nothing like that waits for you.")
		}
		if err != nil {
			return err
		}
		return s.decideProposal(ctx, tx, a, p, agree)
	})
	return p, err
}

func (s *Service) decideProposal(ctx context.Context, tx Tx, a Actor, p *Proposal, agree bool) error {
	p.SecondID, p.Second, p.DecidedAt, p.State = a.userID(), a.Label(), s.now(), ProposalRefused
	if !agree {
		if err := tx.UpdateProposal(ctx, p); err != nil {
			return err
		}
		return s.audit(ctx, tx, a, act{name: string(p.Kind) + ".refuse", serverID: p.ServerID, subject: p.ID, after: p.ProposalDetails})
	}
	users, err := tx.Users(ctx)
	if err != nil {
		return err
	}
	if err := p.mayAgree(a, peopleOf(users, p.ServerID, false)); err != nil {
		return err
	}
	p.State = ProposalAgreed
	if err := tx.UpdateProposal(ctx, p); err != nil {
		return err
	}
	if err := s.audit(ctx, tx, a, act{name: string(p.Kind) + ".agree", serverID: p.ServerID, subject: p.ID, after: p.ProposalDetails}); err != nil {
		return err
	}
	return s.perform(ctx, tx, a, p)
}

// perform does what two people agreed on.
func (s *Service) perform(ctx context.Context, tx Tx, a Actor, p *Proposal) error {
	if p.Kind != ProposedNaming {
		u, err := tx.UserByID(ctx, p.UserID)
		if err != nil {
			return err
		}
		if !u.Active() {
			return Errorf(Conflict, "The account of %s is disabled.", u.Label())
		}
		if p.Kind == ProposedRole {
			return s.setRole(ctx, tx, a, u, p.ServerID, p.Role)
		}
		return s.grant(ctx, tx, a, &Grant{UserID: u.ID, ServerID: p.ServerID, Permission: p.Permission, GrantedBy: p.By, At: s.now()}, u)
	}
	n := p.Alias
	return s.insertNaming(ctx, tx, a, &Naming{
		ID: newID(), ServerID: p.ServerID, Profile: n.Profile, Kind: Alias, Old: string(n.Old), New: string(n.New), Note: n.Note,
		By: p.ByID, ByLabel: p.By, At: s.now(), Until: n.Until,
	})
}

// needs is the least role of who decides: nobody agrees to a role above their own.
func (p *Proposal) needs() people.Role {
	if p.ServerID == "" || p.Role == people.Admin {
		return people.Admin
	}
	return people.Maintainer
}

// mayAgree checks that the actor is a second person beside who asked, and is not whom
// it is about.
func (p *Proposal) mayAgree(a Actor, present []gate.Person) error {
	if err := a.person(); err != nil {
		return err
	}
	switch {
	case !a.role(p.ServerID).AtLeast(p.needs()):
		return Errorf(Forbidden, "This takes the role %s.", p.needs())
	case a.userID() == p.ByID:
		return Errorf(Forbidden, "You asked for this: somebody else must agree.")
	case a.userID() == p.UserID:
		return Errorf(Forbidden, "This is about you: somebody else must agree.")
	}
	return kinOf(a, p.ByID, p.By, p.At, present)
}

// kinOf refuses an actor who counts as one person with another, since one of them
// invited the other lately.
func kinOf(a Actor, id, label string, at time.Time, present []gate.Person) error {
	if id == "" || !gate.Kin(present, a.userID(), id, at) {
		return nil
	}
	return Errorf(Forbidden, "You and %s count as one person, since one of you invited the other less than 30 days ago: somebody else must agree.", label)
}

// seconds are those who can agree to what somebody asked for at a time: other people of
// the role, not whom it is about, and nobody who counted as one person with who asked.
func seconds(users []people.User, by, about, serverID string, need people.Role, at time.Time) []people.User {
	present := peopleOf(users, serverID, false)
	var out []people.User
	for i := range users {
		u := &users[i]
		if u.ID != by && u.ID != about && u.RoleOn(serverID).AtLeast(need) && (by == "" || !gate.Kin(present, u.ID, by, at)) {
			out = append(out, *u)
		}
	}
	return out
}

// labelsOf are the names of people.
func labelsOf(users []people.User) []string {
	var out []string
	for i := range users {
		out = append(out, users[i].Label())
	}
	return out
}

// takesTwo reports whether there is anybody beside the actor who could agree. Where
// everybody else counts as one person with them there is not: what nobody could agree
// to would wait for good, and stand in the way of every other edit.
func (s *Service) takesTwo(a Actor, users []people.User, serverID, about string, need people.Role) bool {
	return !a.Shell && len(seconds(users, a.userID(), about, serverID, need, s.now())) > 0
}
