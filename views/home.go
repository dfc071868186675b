package views

import "github.com/countersign/countersign/review/prose"

// HomePage is whose turn it is.
type HomePage struct {
	Page
	Turn    []ReleaseLine
	Waiting []ReleaseLine
	Servers []ServerLine
	Alarms  []AlarmLine
	Drifts  []DriftLine
	More    Sentence      // that not all under review is listed, and where the rest is; nil when all is
	AddURL  string        // "" when the person may add no server
	NoRole  prose.Visible // mail address of somebody who has no role anywhere yet; nil for others
}

// AlarmLine is a released version that lost what it stood on, until somebody looks
// into it.
type AlarmLine struct {
	URL     string
	Server  prose.Visible // nil on the server's own page
	Version prose.Visible
	Why     Sentence
	When    When
}

// ReleaseLine is a release in a list.
type ReleaseLine struct {
	URL     string
	Server  prose.Visible // nil on the server's own page
	Profile prose.Visible // nil for the default one
	Version prose.Visible
	Gate    Badge
	State   *Badge // released, withdrawn, superseded
	Why     Sentence
	Classes []CountBadge
	When    When
	Tools   string // "46 tools"
}

// CountBadge says how many changes are of a class.
type CountBadge struct {
	Badge
	N string
}

// ServerLine is a server in a list.
type ServerLine struct {
	URL   string
	Name  prose.Visible
	Slug  string
	Gate  Badge
	Why   Sentence
	Last  prose.Visible // last released version
	When  When
	Facts []string // "46 tools", "2 in review"
}

// ServersPage lists servers.
type ServersPage struct {
	Page
	Servers []ServerLine
	AddURL  string
}
