package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/people"
)

type revokeAnswersCmd struct {
	Email  string    `arg:"" help:"Address of the account."`
	Since  time.Time `required:"" help:"From when on, such as 2026-11-30T09:00:00Z."`
	Reason string    `required:"" help:"Why; everybody who meets an answer of theirs will read it."`
	JSON   bool      `help:"Print JSON."`
}

// Run takes back an account's approvals, and names the released versions that
// stood on them. Exits 1 when there are any: somebody has to look.
func (c *revokeAnswersCmd) Run(e *env) error {
	in, actor, err := administration(e.ctx, false)
	if err != nil {
		return err
	}
	defer in.close()
	u, err := in.userByEmail(e, actor, c.Email)
	if err != nil {
		return err
	}
	done, err := in.svc.RevokeAnswers(e.ctx, actor, u.ID, c.Since, c.Reason)
	if err != nil {
		return err
	}
	releases := make([]string, len(done.Alarms))
	for i, a := range done.Alarms {
		releases[i] = a.ReleaseID
	}
	err = say(e.stdout, c.JSON, struct {
		Verdicts  int      `json:"verdicts"`
		Restored  int      `json:"restored"` // answers of others that it had taken back
		Overrides int      `json:"overrides"`
		Alarms    []string `json:"alarms"` // ids of released versions
	}{done.Verdicts, done.Restored, done.Overrides, releases}, "Revoked %s and %s of %s; %s of others stand again. %s that stood on them.",
		count(done.Verdicts, "answer"), count(done.Overrides, "override"), u.Label(), count(done.Restored, "answer"), count(len(releases), "released version"))
	if err == nil && len(releases) > 0 {
		return exit(exitNo)
	}
	return err
}

type mayOverrideCmd struct {
	Email  string `arg:"" help:"Address of the account."`
	Server string `required:"" help:"The server." placeholder:"SLUG"`
	Not    bool   `help:"Take the permission away."`
}

// Run gives or takes the permission that an override needs.
func (c *mayOverrideCmd) Run(e *env) error {
	in, actor, err := administration(e.ctx, false)
	if err != nil {
		return err
	}
	defer in.close()
	u, err := in.userByEmail(e, actor, c.Email)
	if err != nil {
		return err
	}
	if _, err := in.svc.GrantOverride(e.ctx, actor, c.Server, u.ID, !c.Not); err != nil {
		return err
	}
	can := "can override"
	if c.Not {
		can = "can't override any more"
	}
	_, err = fmt.Fprintf(e.stdout, "%s %s on %s.\n", u.Label(), can, c.Server)
	return err
}

func (i *instance) userByEmail(e *env, a review.Actor, email string) (*people.User, error) {
	users, err := i.svc.Users(e.ctx, a)
	if err != nil {
		return nil, err
	}
	for n := range users {
		if strings.EqualFold(users[n].Email, email) {
			return &users[n], nil
		}
	}
	return nil, fmt.Errorf("there is no account with the address %s", email)
}
