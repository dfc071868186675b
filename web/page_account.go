package web

import (
	"image/color"
	"net/http"
	"strconv"
	"strings"

	"github.com/boombuler/barcode/qr"
	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/prose"
	"github.com/countersign/countersign/views"
)

func (s *Server) accountPage(c echo.Context) error {
	return s.renderAccount(c, http.StatusOK, views.AccountPage{})
}

// renderAccount shows somebody their own account, with what the last act brought.
func (s *Server) renderAccount(c echo.Context, status int, p views.AccountPage) error {
	ctx, a := c.Request().Context(), s.actor(c)
	sessions, err := s.svc.Sessions(ctx, a)
	if err != nil {
		return err
	}
	left, err := s.svc.RecoveryCodesLeft(ctx, a)
	if err != nil {
		return err
	}
	links, err := s.svc.Identities(ctx, a)
	if err != nil {
		return err
	}
	p.Page = s.page(c, "Your account", "account")
	p.Provider = s.providerCard(links)
	p.Width = narrow
	p.Email = prose.Show(a.User.Email)
	p.Factor = s.factorLine(a.User, left)
	current := s.sessions.GetString(ctx, people.SessionID)
	for _, session := range sessions {
		p.Sessions = append(p.Sessions, s.sessionLine(session, session.ID == current))
	}
	p.EndOthers = len(sessions) > 1
	return s.render(c, status, views.YourAccount(p))
}

func (s *Server) factorLine(u *people.User, left int) views.FactorLine {
	if !u.HasSecondFactor() {
		return views.FactorLine{}
	}
	line := views.FactorLine{On: true, Since: s.when(u.SecondFactorAt), Few: left < 3}
	switch left {
	case 0:
		line.Left = "No recovery code is left."
	case 1:
		line.Left = "One recovery code is left."
	default:
		line.Left = strconv.Itoa(left) + " recovery codes are left."
	}
	return line
}

func (s *Server) sessionLine(session people.Session, current bool) views.SessionLine {
	line := views.SessionLine{
		Device: deviceWords(session.Agent), Addr: session.Addr, Since: s.when(session.Since), Seen: s.when(session.Seen), Current: current,
	}
	if !current {
		line.EndURL = path([]string{"account", "sessions", session.ID, "end"})
	}
	return line
}

// What browsers call themselves, the more special names first: most of them claim
// to be several others.
var (
	browserNames = [][2]string{{"Edg/", "Edge"}, {"OPR/", "Opera"}, {"Firefox/", "Firefox"}, {"FxiOS/", "Firefox"}, {"CriOS/", "Chrome"},
		{"Chromium/", "Chromium"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"}, {"curl/", "curl"}}
	systemNames = [][2]string{{"Android", "Android"}, {"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Windows", "Windows"}, {"Mac OS X", "macOS"},
		{"CrOS", "ChromeOS"}, {"Linux", "Linux"}}
)

// deviceWords says in our own words what a browser claims to be.
func deviceWords(agent string) string {
	name := func(names [][2]string) string {
		for _, n := range names {
			if strings.Contains(agent, n[0]) {
				return n[1]
			}
		}
		return ""
	}
	browser, system := name(browserNames), name(systemNames)
	switch {
	case browser == "" && system == "":
		return "Unknown browser"
	case system == "":
		return browser
	}
	return cmpOr(browser, "Unknown browser") + " on " + system
}

func (s *Server) endSessionForm(c echo.Context) error {
	if err := s.svc.EndSession(c.Request().Context(), s.actor(c), c.Param("id")); err != nil {
		return err
	}
	return s.toAccount(c, "The session is ended.")
}

func (s *Server) endOtherSessionsForm(c echo.Context) error {
	ctx := c.Request().Context()
	if err := s.svc.EndOtherSessions(ctx, s.actor(c), s.sessions.GetString(ctx, people.SessionID)); err != nil {
		return err
	}
	return s.toAccount(c, "Every other session is ended.")
}

func (s *Server) toAccount(c echo.Context, done string) error {
	s.flash(c, flashDone, done)
	return c.Redirect(http.StatusSeeOther, "/account")
}

// beginFactorForm makes a new secret and shows it. Only the answer to this form
// and to a wrong code do so.
func (s *Server) beginFactorForm(c echo.Context) error {
	err := s.svc.BeginSecondFactor(c.Request().Context(), s.actor(c))
	if fault, ok := sentenceOf(err); ok {
		return s.renderAccount(c, describe(err, "").Status, views.AccountPage{Fault: fault})
	}
	if err != nil {
		return err
	}
	return s.renderFactor(c, http.StatusOK, nil)
}

func (s *Server) renderFactor(c echo.Context, status int, fault views.Sentence) error {
	setUp, err := s.svc.WaitingSecondFactor(c.Request().Context(), s.actor(c))
	if err != nil {
		return err
	}
	if setUp == nil {
		return review.Errorf(review.Conflict, "No second factor waits to be confirmed. Begin again on your account page.")
	}
	p := views.FactorPage{Page: s.page(c, "Second factor", "account"), Key: inFours(setUp.Key), Fault: fault}
	p.Width = narrow
	p.Crumbs = []views.NameLink{{Name: prose.Show("Your account"), URL: "/account"}}
	if p.QR, err = qrCode(setUp.URL); err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderCacheControl, "no-store")
	return s.render(c, status, views.SetUpFactor(p))
}

// inFours writes a key in groups, so that the eye keeps its place.
func inFours(key string) string {
	var b strings.Builder
	for i, r := range key {
		if i > 0 && i%4 == 0 {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// qrCode draws text as one path of squares; the policy of pages lets no picture in
// that stands in the page as data.
func qrCode(text string) (views.QR, error) {
	code, err := qr.Encode(text, qr.M, qr.Auto)
	if err != nil {
		return views.QR{}, err
	}
	size := code.Bounds().Dx()
	var d strings.Builder
	for y := range size {
		for x := range size {
			if code.At(x, y) == color.Black {
				d.WriteString("M" + strconv.Itoa(x) + " " + strconv.Itoa(y) + "h1v1h-1z")
			}
		}
	}
	const quiet = 4 // the empty edge that readers need
	return views.QR{Box: strings.Join([]string{strconv.Itoa(-quiet), strconv.Itoa(-quiet), strconv.Itoa(size + 2*quiet), strconv.Itoa(size + 2*quiet)}, " "), Path: d.String()}, nil
}

func (s *Server) confirmFactorForm(c echo.Context) error {
	form, err := s.form(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	codes, err := s.svc.ConfirmSecondFactor(ctx, s.actor(c), form.Get("code"), s.sessions.GetString(ctx, people.SessionID))
	if fault, status, ok := notProved(c, err); ok {
		return s.renderFactor(c, status, fault)
	}
	if err != nil {
		return err
	}
	return s.renderCodes(c, "Your second factor is on. Other sessions of yours are ended.", codes)
}

func (s *Server) renderCodes(c echo.Context, done string, codes []string) error {
	p := views.CodesPage{Page: s.page(c, "Recovery codes", "account"), Done: done, Codes: codes, Text: strings.Join(codes, "\n")}
	p.Width = narrow
	p.Crumbs = []views.NameLink{{Name: prose.Show("Your account"), URL: "/account"}}
	c.Response().Header().Set(echo.HeaderCacheControl, "no-store")
	return s.render(c, http.StatusOK, views.RecoveryCodes(p))
}

func (s *Server) newCodesForm(c echo.Context) error {
	codes, err := s.svc.NewRecoveryCodes(c.Request().Context(), s.actor(c))
	if fault, ok := sentenceOf(err); ok {
		return s.renderAccount(c, describe(err, "").Status, views.AccountPage{Fault: fault})
	}
	if err != nil {
		return err
	}
	return s.renderCodes(c, "These replace the codes from before.", codes)
}

func (s *Server) removeOwnFactorForm(c echo.Context) error {
	a := s.actor(c)
	err := s.svc.RemoveSecondFactor(c.Request().Context(), a, a.User.ID)
	if fault, ok := sentenceOf(err); ok {
		return s.renderAccount(c, describe(err, "").Status, views.AccountPage{Fault: fault})
	}
	if err != nil {
		return err
	}
	return s.toAccount(c, "Your second factor is removed.")
}
