package reviewtest

import (
	"time"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/people"
)

var proposalCases = map[string]func(*world){
	"a role with which more may decide takes a second person": proposedRole,
	"who counts as a second person for a role":                proposedWhoIsSecond,
	"where nobody else could agree":                           proposedAlone,
	"an alias takes a second person":                          proposedAlias,
	"what is refused changes nothing":                         proposedRefused,
}

// setRole sets a role, which may only propose it.
func (w *world) setRole(a review.Actor, userID, slug string, role people.Role) error {
	w.Helper()
	_, err := w.svc.SetRole(w.ctx, a, userID, slug, role)
	return err
}

// roleOf is the role of somebody on mot now.
func (w *world) roleOf(a review.Actor) people.Role {
	w.Helper()
	users, err := w.svc.Users(w.ctx, w.shell)
	w.must(err)
	v, err := w.svc.Policy(w.ctx, w.shell, "mot")
	w.must(err)
	for i := range users {
		if users[i].ID == a.User.ID {
			return users[i].RoleOn(v.Server.ID)
		}
	}
	return ""
}

// asked proposes what has to wait.
func (w *world) asked(a, about review.Actor, role people.Role) *review.Proposal {
	w.Helper()
	p, err := w.svc.SetRole(w.ctx, a, about.User.ID, "mot", role)
	w.must(err)
	if p == nil {
		w.Fatalf("%s made %s %s alone", a.User.Name, about.User.Name, role)
	}
	w.clock = w.clock.Add(time.Second)
	return p
}

func proposedRole(w *world) {
	p := w.asked(w.ana, w.vic, people.Reviewer)
	if got := w.roleOf(w.vic); got != people.Viewer {
		w.Errorf("vic is %s before anybody agreed", got)
	}
	_, err := w.svc.SetRole(w.ctx, w.admin, w.vic.User.ID, "mot", people.Maintainer)
	w.refused(err, review.Conflict, "waits for a second person already")
	in, err := w.svc.Inbox(w.ctx, w.ben, review.Page{})
	w.must(err)
	if len(in.Notices) != 1 || in.Notices[0].Kind != review.NoticeAsked {
		w.Errorf("ben is told %+v", in.Notices)
	}
	_, err = w.svc.DecideProposal(w.ctx, w.ben, p.ID, true)
	w.must(err)
	if got := w.roleOf(w.vic); got != people.Reviewer {
		w.Errorf("vic is %s once ben agreed", got)
	}
	_, err = w.svc.DecideProposal(w.ctx, w.ben, p.ID, true)
	w.refused(err, review.Conflict)
	w.asked(w.ana, w.rita, people.Maintainer)
	for _, less := range []people.Role{people.Viewer, people.NoRole} { // nobody more decides then
		waits, err := w.svc.SetRole(w.ctx, w.ana, w.rob.User.ID, "mot", less)
		w.must(err)
		if waits != nil {
			w.Errorf("%q waits", less)
		}
	}
}

func proposedWhoIsSecond(w *world) {
	p := w.asked(w.ana, w.rita, people.Maintainer)
	for _, c := range []struct {
		who  review.Actor
		kind review.Kind
		says string
	}{
		{w.ana, review.Forbidden, "You asked"}, {w.vic, review.Forbidden, "maintainer"}, {w.rita, review.Forbidden, "maintainer"},
		{w.stranger(), review.Conflict, "Nothing like that"},
	} {
		_, err := w.svc.DecideProposal(w.ctx, c.who, p.ID, true)
		w.refused(err, c.kind, c.says)
	}
	_, err := w.svc.DecideProposal(w.ctx, w.ben, "none", true)
	w.refused(err, review.Conflict, "Nothing like that")
	listed, err := w.svc.Proposals(w.ctx, w.ben)
	w.must(err)
	if len(listed) != 1 || listed[0].MayAgree != "" || listed[0].Mine || listed[0].Server == "" {
		w.Errorf("ben sees %+v", listed)
	}
	listed, err = w.svc.Proposals(w.ctx, w.ana)
	w.must(err)
	if len(listed) != 1 || listed[0].MayAgree == "" || !listed[0].Mine {
		w.Errorf("ana sees %+v", listed)
	}
	if listed, err = w.svc.Proposals(w.ctx, w.vic); err != nil || len(listed) != 0 {
		w.Errorf("vic sees %+v, %v", listed, err)
	}
}

// proposedAlone: nobody is kept from acting for want of a second person.
func proposedAlone(w *world) {
	w.must(w.setRole(w.shell, w.vic.User.ID, "mot", people.Reviewer))
	if got := w.roleOf(w.vic); got != people.Reviewer {
		w.Errorf("the operator waits for somebody: vic is %s", got)
	}
	w.must(w.setRole(w.shell, w.ana.User.ID, "mot", people.Viewer))
	w.must(w.setRole(w.shell, w.ben.User.ID, "mot", people.Viewer))
	waits, err := w.svc.SetRole(w.ctx, w.admin, w.vic.User.ID, "mot", people.Maintainer)
	w.must(err)
	if waits != nil || w.roleOf(w.vic) != people.Maintainer {
		w.Errorf("the only one who could agree is the one who asks: %+v", waits)
	}
}

func proposedAlias(w *world) {
	w.released("1", three())
	p := w.push("2", renamed("search", "Finds."))
	w.must(w.pair(p, "find", "search"))
	was := w.change(idOf(p), "search").Class
	n, err := w.svc.AddAlias(w.ctx, w.ana, "mot", review.NewAlias{Old: "find", New: "search"})
	w.must(err)
	w.clock = w.clock.Add(time.Second)
	if is := w.change(idOf(p), "search").Class; !n.Waits || is != was {
		w.Errorf("alone: waits %t, %s", n.Waits, is)
	}
	_, err = w.svc.DecideProposal(w.ctx, w.ana, n.ID, true)
	w.refused(err, review.Forbidden, "You asked")
	_, err = w.svc.DecideProposal(w.ctx, w.ben, n.ID, true)
	w.must(err)
	w.clock = w.clock.Add(time.Second)
	if is := w.change(idOf(p), "search").Class; is == was {
		w.Errorf("agreed, and still %s", is)
	}
}

func proposedRefused(w *world) {
	p := w.asked(w.ana, w.vic, people.Reviewer)
	_, err := w.svc.DecideProposal(w.ctx, w.ana, p.ID, false) // takes it back
	w.must(err)
	_, err = w.svc.DecideProposal(w.ctx, w.ben, p.ID, true)
	w.refused(err, review.Conflict)
	if got := w.roleOf(w.vic); got != people.Viewer {
		w.Errorf("vic is %s", got)
	}
	w.asked(w.ana, w.vic, people.Reviewer) // may be asked again
}
