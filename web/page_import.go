package web

import (
	"fmt"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/views"
)

// importLine says on the page of a server how far an import is, nil for none. The page
// asks for news of one that is at work: another program imports, and nobody here is told.
func (s *Server) importLine(c echo.Context, slug string) (*views.ImportLine, error) {
	im, err := s.svc.Importing(c.Request().Context(), s.actor(c), slug)
	if im == nil || err != nil {
		return nil, err
	}
	line := &views.ImportLine{Tone: views.Plain, Icon: "wait", Text: importText(im), Done: im.Place, Of: im.Of, Again: serverPath(slug)}
	switch {
	case im.Working:
		line.Poll = serverPath(slug) + "/import/state"
	case im.Done():
		line.Tone, line.Icon = views.OK, "check"
	default:
		line.Tone, line.Icon, line.When = views.Ask, "question", s.when(im.At)
	}
	return line, nil
}

func importText(im *review.Import) string {
	switch {
	case im.Done():
		return fmt.Sprintf("The import is done: all %s had their turn.", plural(im.Of, "version", "versions"))
	case im.Working:
		return fmt.Sprintf("Importing: %d of %d versions.", im.Place, im.Of)
	}
	return fmt.Sprintf("An import stopped after %d of %d versions. Run it again to go on: what is kept stays kept.", im.Place, im.Of)
}

// importState answers a page that shows how far an import is.
func (s *Server) importState(c echo.Context) error {
	im, err := s.svc.Importing(c.Request().Context(), s.actor(c), c.Param("server"))
	if err != nil {
		return err
	}
	now := liveState{State: "arrived"}
	if im != nil {
		now.Text, now.Done = importText(im), im.Place
		if im.Working {
			now.State = "working"
		}
	}
	c.Response().Header().Set(echo.HeaderCacheControl, "no-store")
	return c.JSON(http.StatusOK, now)
}
