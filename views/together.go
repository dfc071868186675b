package views

import "github.com/countersign/countersign/review/prose"

// TogetherPage is several servers in one host. The host's part is filled in when
// servers are picked.
type TogetherPage struct {
	Page
	Form  TogetherForm
	State *GateBar // nil while nothing is picked
	Host  BesideHost
	Rows  []ShareRow
	Clash []ClashRow
	Other string // collisions that are not shown
	None  string // said where there are none

	Issues []HostIssue
	Info   []HostIssue
	More   string // issues that are not shown
}

// TogetherForm picks a host, and a listing of each server.
type TogetherForm struct {
	URL   string
	Fault Sentence // why what was picked can't be looked at
	Hosts []Place
	Near  []ServerPick // picked servers, and others while there is room
	Far   []ServerPick // the rest
	FarIs string       // "14 more servers"
}

// ServerPick is a server with the listings of it to choose from.
type ServerPick struct {
	ID     string // of the field
	Server prose.Visible
	Places []Place
}

// ShareRow is what becomes of the tools of one server.
type ShareRow struct {
	Server  prose.Visible
	URL     string // of the listing through this host
	Version prose.Visible
	Numbers []string // in the order of ShareHeads
}

// ShareHeads head the numbers of a ShareRow.
var ShareHeads = []string{"Listed", "Sent", "Deferred", "Lost", "Renamed", "Tokens"}

// ClashRow is a name that several tools would have.
type ClashRow struct {
	Name  prose.Visible
	Tools []ClashTool
}

// ClashTool is one of them.
type ClashTool struct {
	Server prose.Visible
	Tool   prose.Visible
	URL    string
	Sent   prose.Visible // nil when it is not sent
}

var notSentBadge = Badge{Tone: Bad, Icon: "minus", Word: "not sent"}
