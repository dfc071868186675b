package web

import (
	"net/http"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/views"
)

// Story is a page in a state, made from fixtures.
type Story struct {
	Name string // "release-blocked": page and state
	Page templ.Component
}

// storyRoutes show every page in every state to whoever works on them. A server that
// was not told to has no such address.
func (s *Server) storyRoutes() []route {
	if len(s.opt.Stories) == 0 {
		return nil
	}
	return []route{
		get("/storybook", anybody, s.storiesPage).bare(),
		get("/storybook/:state", anybody, s.storyPage).bare(),
		get("/storybook/news", anybody, s.storyNews).bare(),
	}
}

// storyNews answers pages of the storybook that ask what happened: nothing ever does.
func (s *Server) storyNews(c echo.Context) error { return c.NoContent(http.StatusNoContent) }

func (s *Server) storiesPage(c echo.Context) error {
	m := views.StoriesPage{Page: views.Page{Title: "Storybook", Build: s.opt.Build.Version}}
	for _, story := range s.opt.Stories {
		name, _, _ := strings.Cut(story.Name, "-")
		if n := len(m.Groups); n == 0 || m.Groups[n-1].Name != name {
			m.Groups = append(m.Groups, views.StoryGroup{Name: name})
		}
		g := &m.Groups[len(m.Groups)-1]
		g.States = append(g.States, views.Link{Text: story.Name, URL: path([]string{"storybook", story.Name})})
	}
	return s.render(c, http.StatusOK, views.Stories(m))
}

func (s *Server) storyPage(c echo.Context) error {
	for _, story := range s.opt.Stories {
		if story.Name == c.Param("state") {
			return s.render(c, http.StatusOK, story.Page)
		}
	}
	return review.Errorf(review.NotFound, "There is no such state.")
}
