package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/internal/live"
	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/gate"
)

// liveState is what a waiting page is told: state names it, text says it.
type liveState struct {
	State string `json:"state"`
	Text  string `json:"text"`
	Next  string `json:"next,omitempty"` // address of what arrived, or of drafts that moved
	Done  int    `json:"done,omitempty"` // of work that has a known end
}

// look finds out what to tell an actor, and the server whose acts may change it.
type look func(context.Context, echo.Context, review.Actor) (now liveState, serverID string, err error)

// liveBeat is how often a stream looks by itself: it notices a session that ended,
// an account without rights, and what another program did to the same database.
const liveBeat = 20 * time.Second

// liveWrite is how long a reader may take to accept one message.
const liveWrite = 30 * time.Second

func (s *Server) releaseEvents(c echo.Context) error { return s.stream(c, s.releaseState) }

func (s *Server) serverEvents(c echo.Context) error { return s.stream(c, s.arrivalState) }

// releaseNews answers pages that a stream does not reach.
func (s *Server) releaseNews(c echo.Context) error {
	now, _, err := s.releaseState(c.Request().Context(), c, s.actor(c))
	if err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderCacheControl, "no-store")
	return c.JSON(http.StatusOK, now)
}

// releaseState compares a release with the pulse that the page was made at.
func (s *Server) releaseState(ctx context.Context, c echo.Context, a review.Actor) (liveState, string, error) {
	since, known := review.ParsePulse(c.QueryParam("since"))
	n, err := s.svc.News(ctx, a, c.Param("id"), since)
	if err != nil {
		return liveState{}, "", err
	}
	now := liveState{State: n.Now.String()}
	if known {
		now.Text = newsText(since, n)
	}
	if n.Moved > 0 {
		now.Next = path([]string{"releases", c.Param("id"), "desk"})
	}
	return now, n.ServerID, nil
}

func (s *Server) arrivalState(ctx context.Context, c echo.Context, a review.Actor) (liveState, string, error) {
	id, err := s.svc.ServerID(ctx, a, c.Param("server"))
	if err != nil {
		return liveState{}, "", err
	}
	at, err := s.arrivalOf(ctx, a, c.Param("server"))
	return at.live(), id, err
}

// newsText says what happened since the page was made, "" when nothing did.
func newsText(since review.Pulse, n *review.News) string {
	var parts []string
	add := func(count int, one, many string) {
		if count > 0 {
			parts = append(parts, plural(count, one, many)+".")
		}
	}
	if n.Now.Revision != since.Revision {
		parts = append(parts, revisionText(n))
	} else {
		add(n.Now.Answers-since.Answers, "new answer", "new answers")
	}
	add(n.Now.Comments-since.Comments, "new comment", "new comments")
	add(since.Threads-n.Now.Threads, "thread was resolved", "threads were resolved")
	if n.Now.State != since.State || n.Now.Gate != since.Gate {
		parts = append(parts, stateText(n.Now))
	}
	if len(parts) == 0 && n.Now != since {
		parts = append(parts, "Something changed here.")
	}
	return strings.Join(parts, " ")
}

func revisionText(n *review.News) string {
	text := fmt.Sprintf("Revision %d was pushed", n.Now.Revision)
	var parts []string
	if n.Hold > 0 {
		parts = append(parts, plural(n.Hold, "verdict still holds", "verdicts still hold"))
	}
	if n.Again > 0 {
		parts = append(parts, plural(n.Again, "needs another look", "need another look"))
	}
	if n.Moved > 0 {
		parts = append(parts, plural(n.Moved, "draft moved", "drafts moved"))
	}
	if len(parts) == 0 {
		return text + "."
	}
	return text + ": " + strings.Join(parts, ", ") + "."
}

func stateText(p review.Pulse) string {
	switch {
	case p.State == review.StateReleased:
		return "It is released."
	case p.State == review.StateWithdrawn:
		return "It is withdrawn."
	case p.State == review.StateSuperseded:
		return "A later version was released."
	case p.Gate == gate.Pass:
		return "The gate passes now."
	case p.Gate == gate.Blocked:
		return "The gate blocks now."
	}
	return "The gate is undecided now."
}

// stream sends what a look finds, first at once and then whenever it is another,
// until the reader leaves, may no longer look, or the program stops. It asks who
// reads anew each time, so that a sign-out ends it.
func (s *Server) stream(c echo.Context, at look) error {
	a := s.actor(c)
	_, serverID, err := at(c.Request().Context(), c, a)
	if err != nil {
		return err
	}
	sub, err := s.hub.Subscribe(serverID, a.User.ID)
	if errors.Is(err, live.ErrTooMany) {
		return review.Errorf(review.RateLimited, "%d of your pages are told at once what happens; this one has to ask.", s.hub.PerReader())
	}
	if err != nil {
		return err
	}
	defer sub.Close()
	st := s.newStreamer(c, at)
	beat := time.NewTicker(liveBeat)
	defer beat.Stop()
	for st.look() {
		select {
		case <-c.Request().Context().Done():
			return nil
		case <-sub.Done():
			return nil
		case <-sub.Woken():
		case <-beat.C:
		}
	}
	return nil
}

// streamer writes one stream.
type streamer struct {
	s    *Server
	c    echo.Context
	at   look
	sent string // state of the last message
	rc   *http.ResponseController
}

func (s *Server) newStreamer(c echo.Context, at look) *streamer {
	h := c.Response().Header()
	h.Set(echo.HeaderContentType, "text/event-stream; charset=utf-8")
	h.Set(echo.HeaderCacheControl, "no-store, no-transform")
	h.Set("X-Accel-Buffering", "no") // asks proxies to pass messages on as they come
	rc := http.NewResponseController(c.Response())
	// The deadline for reading a request would end a connection that only waits. A
	// recorder in a test has no connection, and so no deadlines.
	_ = rc.SetReadDeadline(time.Time{})
	return &streamer{s: s, c: c, at: at, rc: rc}
}

// look sends what is to be told, or a sign of life. It reports whether the stream
// goes on.
func (st *streamer) look() bool {
	ctx := st.c.Request().Context()
	a, err := st.s.actorAgain(st.c)
	if err != nil || a.User == nil {
		return false
	}
	now, _, err := st.at(ctx, st.c, a)
	if err != nil {
		if failed := describe(err, ""); failed.Status >= http.StatusInternalServerError && ctx.Err() == nil {
			st.s.log.ErrorContext(ctx, "stream ended", "request", requestIDOf(st.c), "error", err)
		}
		return false // a reader who may comes back and is told then
	}
	if now.State == st.sent {
		return st.write(":\n\n")
	}
	data, err := json.Marshal(now)
	if err != nil {
		panic(err) // two strings always marshal
	}
	st.sent = now.State
	return st.write(fmt.Sprintf("id: %s\ndata: %s\n\n", now.State, data))
}

func (st *streamer) write(message string) bool {
	_ = st.rc.SetWriteDeadline(time.Now().Add(liveWrite))
	if _, err := st.c.Response().Write([]byte(message)); err != nil {
		return false
	}
	return st.rc.Flush() == nil
}

// actorAgain finds out who a request is from as of now, and not as of when it began.
// It leaves the session's end where it is: a page that waits is nobody at work.
func (s *Server) actorAgain(c echo.Context) (review.Actor, error) {
	// The request's context holds the session as it was.
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	defer context.AfterFunc(c.Request().Context(), cancel)()
	cookie, err := c.Cookie(s.sessions.Cookie.Name)
	if err != nil {
		return review.Actor{}, err
	}
	if ctx, err = s.sessions.Load(ctx, cookie.Value); err != nil {
		return review.Actor{}, err
	}
	id := s.sessions.GetString(ctx, sessionUser)
	end := time.Unix(s.sessions.GetInt64(ctx, sessionSince), 0).Add(sessionLongest)
	if id == "" || !s.opt.Now().Before(end) {
		return review.Actor{}, nil
	}
	u, err := s.svc.UserByID(ctx, id)
	return review.Actor{User: u, Via: "browser", Addr: c.RealIP()}, err
}

// isStream reports whether a request waits for events, which compression would
// hold back.
func isStream(c echo.Context) bool { return strings.HasSuffix(c.Request().URL.Path, "/events") }
