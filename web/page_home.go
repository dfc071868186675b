package web

import (
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/prose"
	"github.com/countersign/countersign/views"
)

func (s *Server) homePage(c echo.Context) error {
	home, err := s.svc.Home(c.Request().Context(), s.actor(c))
	if err != nil {
		return err
	}
	names := map[string]prose.Visible{}
	for _, v := range home.Servers {
		names[v.Server.ID] = views.ShowName(v.Server.Name)
	}
	newest := newestOpen(slices.Concat(home.YourTurn, home.Waiting))
	var noRole prose.Visible
	if a := s.actor(c); len(a.User.Memberships) == 0 {
		noRole = prose.Show(a.User.Email)
	}
	return s.render(c, http.StatusOK, views.Home(views.HomePage{
		NoRole:  noRole,
		Page:    s.page(c, "", "home"),
		Turn:    s.releaseLines(home.YourTurn, names, newest),
		Waiting: s.releaseLines(home.Waiting, names, newest),
		Servers: s.serverLines(home.Servers),
		Alarms:  s.alarmLines(home.Alarms, names),
		Drifts:  s.driftLines(home.Drifts, home.Servers),
		More:    unlisted(home),
		AddURL:  s.addServerURL(c),
	}))
}

// unlisted says how much more is under review than is listed, nil when all is.
func unlisted(home *review.HomeView) views.Sentence {
	if home.Unlisted == 0 {
		return nil
	}
	listed := len(home.YourTurn) + len(home.Waiting)
	return views.Say(thousands(listed+home.Unlisted) + " releases are under review. The newest " + thousands(listed) +
		" are listed here; the others stand on the pages of their servers, and some may be your turn.")
}

// addServerURL is where somebody who may adds a server.
func (s *Server) addServerURL(c echo.Context) string {
	if isAdmin(s.actor(c)) {
		return "/servers/new"
	}
	return ""
}

// releaseLines shows releases in a list; names are those of their servers, nil on
// a server's own page; newest tells which of those that wait are overtaken.
func (s *Server) releaseLines(list []review.ReleaseSummary, names map[string]prose.Visible, newest map[lineOf]*review.Release) []views.ReleaseLine {
	var out []views.ReleaseLine
	for _, r := range list {
		out = append(out, views.ReleaseLine{
			URL:     releasePath(r.Release.ID),
			Server:  names[r.Release.ServerID],
			Profile: profileName(r.Release.Profile, review.DefaultProfile),
			Version: views.ShowName(r.Release.Title()),
			Gate:    overriddenBadge(r.Gate, len(r.Overrides) > 0),
			State:   releaseBadge(r),
			Why:     views.Say(s.lineWhy(r) + olderThan(r, newest)),
			Classes: openCounts(r),
			When:    s.when(r.Release.Head.PushedAt),
			Tools:   joinWords(toolCount(r.Listing.ToolCount), findingWords(r.Findings)),
		})
	}
	return out
}

// lineOf is what versions of one line share: the newest of it is what the others wait for.
type lineOf struct{ server, profile string }

// newestOpen are the versions that wait, of each profile the one that was pushed last. A
// push to a ref overtakes none.
func newestOpen(list []review.ReleaseSummary) map[lineOf]*review.Release {
	newest := map[lineOf]*review.Release{}
	for i := range list {
		r := &list[i]
		at := lineOf{r.Release.ServerID, r.Release.Profile}
		if was := newest[at]; waits(r.State) && r.Release.Version != "" && (was == nil || r.Release.Head.PushedAt.After(was.Head.PushedAt)) {
			newest[at] = &r.Release
		}
	}
	return newest
}

func waits(s review.ReleaseState) bool { return s == review.StateInReview || s == review.StateReady }

// olderThan says of a version that waits that a newer one waits too, "" of the newest.
func olderThan(r review.ReleaseSummary, newest map[lineOf]*review.Release) string {
	last := newest[lineOf{r.Release.ServerID, r.Release.Profile}]
	if !waits(r.State) || r.Release.Version == "" || last == nil || last.ID == r.Release.ID {
		return ""
	}
	return " Older than " + quoted(last.Title()) + ", which waits too."
}

// openCounts are the classes of changes while they still matter.
func openCounts(r review.ReleaseSummary) []views.CountBadge {
	if waits(r.State) {
		return countBadges(r.Counts)
	}
	return nil
}

// lineWhy says in a list where a release stands.
func (s *Server) lineWhy(r review.ReleaseSummary) string {
	switch r.State {
	case review.StateReleased:
		if r.Release.ReleasedOverride != "" {
			return "Released " + s.ago(r.Release.ReleasedAt) + " by override: nobody approved what was open then."
		}
		return "Released " + s.ago(r.Release.ReleasedAt) + "."
	case review.StateWithdrawn:
		return "Withdrawn " + s.ago(r.Release.WithdrawnAt) + ": " + r.Release.WithdrawnReason
	case review.StateSuperseded:
		return "A later push of this profile was released."
	}
	if r.Gate == gate.Pass && len(r.Overrides) > 0 {
		return r.Overrides[0].Says(r.Overridden)
	}
	return r.Why
}

// overriddenBadge is the gate's word; of a pass that nobody approved, in red.
func overriddenBadge(r gate.Result, overridden bool) views.Badge {
	if r == gate.Pass && overridden {
		return views.OverrideBadge
	}
	return views.GateBadge(r)
}

// releaseBadge is the state of a release; in red when it was released by override.
func releaseBadge(r review.ReleaseSummary) *views.Badge {
	if r.State == review.StateReleased && r.Release.ReleasedOverride != "" {
		return &views.Badge{Tone: views.Bad, Icon: "bang", Word: "released by override"}
	}
	return stateBadge(r.State)
}

// alarmLines shows alarms; names are those of the servers, nil on a server's own
// page.
func (s *Server) alarmLines(list []review.RaisedAlarm, names map[string]prose.Visible) []views.AlarmLine {
	var out []views.AlarmLine
	for _, a := range list {
		out = append(out, views.AlarmLine{
			URL: releasePath(a.ReleaseID) + "#alarm", Server: names[a.ServerID], Version: views.ShowName(a.Release.Title()), Why: views.Say(a.Why), When: s.when(a.At),
		})
	}
	return out
}

var stateBadges = map[review.ReleaseState]views.Badge{
	review.StateReleased:   {Tone: views.OK, Icon: "check", Word: "released"},
	review.StateWithdrawn:  {Tone: views.Bad, Icon: "minus", Word: "withdrawn"},
	review.StateSuperseded: {Tone: views.Plain, Icon: "minus", Word: "superseded"},
}

// stateBadge is nil while the gate's word says enough.
func stateBadge(state review.ReleaseState) *views.Badge {
	if b, ok := stateBadges[state]; ok {
		return &b
	}
	return nil
}

func (s *Server) serverLines(list []review.ServerView) []views.ServerLine {
	var out []views.ServerLine
	for _, v := range list {
		line := views.ServerLine{
			URL: serverPath(v.Server.Slug), Name: views.ShowName(v.Server.Name), Slug: v.Server.Slug,
			Gate: overriddenBadge(v.Gate, v.Overridden), Why: views.Say(lineWhy(v)),
		}
		open := 0
		for _, r := range v.Releases {
			switch r.State {
			case review.StateInReview, review.StateReady:
				open++
			case review.StateReleased:
				if line.Last == nil {
					line.Last = views.ShowName(r.Release.Title())
				}
			}
		}
		if len(v.Releases) > 0 {
			line.When = s.when(v.Releases[0].Release.Head.PushedAt)
			line.Facts = append(line.Facts, toolCount(v.Releases[0].Listing.ToolCount))
		}
		if open > 0 {
			line.Facts = append(line.Facts, thousands(open)+" in review")
		}
		out = append(out, line)
	}
	return out
}

// lineWhy is what is said beside the gate's word.
func lineWhy(v review.ServerView) string {
	if v.Gate == gate.Result("") && v.Why == "" {
		return "The first push appears here."
	}
	return v.Why
}

func serverWhy(v review.ServerView) string {
	if v.Gate == gate.Result("") && v.Why == "" {
		return "No listing yet."
	}
	return v.Why
}
