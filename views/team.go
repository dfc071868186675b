package views

import "github.com/countersign/countersign/review/prose"

// TeamsPage is the teams that the policy of a server names.
type TeamsPage struct {
	Page
	Server    prose.Visible
	PolicyURL string
	Version   string // of the policy
	Teams     []TeamCard
}

// TeamCard is a team: who is in it, and what it answers for.
type TeamCard struct {
	ID      string // in the page
	Name    prose.Visible
	Badge   Badge // how many of it could approve today
	Owns    []prose.Visible
	Members []TeamMemberLine
}

// TeamMemberLine is an address of a team.
type TeamMemberLine struct {
	Label  prose.Visible // of the account, else the address
	Email  prose.Visible // nil where Label is it
	Role   string        // "" for none
	Cannot Sentence      // why they could not approve today, none where they could
}
