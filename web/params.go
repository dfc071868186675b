package web

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/surface"
)

const (
	defaultPage = 50
	largestPage = 500
)

// pageParams reads which part of a list is asked for.
func pageParams(c echo.Context) (review.Page, error) {
	p := review.Page{Limit: defaultPage, Before: c.QueryParam("before")}
	text := c.QueryParam("limit")
	if text == "" {
		return p, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > largestPage {
		return p, review.Errorf(review.Invalid, "limit is %.20q. Use a number from 1 to %d.", text, largestPage)
	}
	p.Limit = n
	return p, nil
}

// knownQuery refuses what a question can't be chosen by: a filter that is misspelt would
// else answer with more than was asked for, and nobody would notice.
func knownQuery(known []string) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			given := slices.Sorted(maps.Keys(c.QueryParams()))
			for _, name := range given {
				if !slices.Contains(known, name) {
					return review.Errorf(review.Invalid, "There is no parameter %.40q here. %s", name, useOneOf(known))
				}
			}
			return next(c)
		}
	}
}

func useOneOf(known []string) string {
	if len(known) == 0 {
		return "This address takes none: leave it out."
	}
	return "Use " + anyOf(known) + ", or leave it out."
}

// yesParam reads a filter that is on or off.
func yesParam(c echo.Context, name string) (bool, error) {
	switch text := c.QueryParam(name); text {
	case "true":
		return true, nil
	case "", "false":
		return false, nil
	default:
		return false, review.Errorf(review.Invalid, "%s is %.20q. Use true or false.", name, text)
	}
}

// nextPage is where the list goes on: after its last row, when the page is full.
func nextPage[T any](rows []T, p review.Page, id func(T) string) string {
	if len(rows) < p.Limit {
		return ""
	}
	return id(rows[len(rows)-1])
}

// digestOf reads a digest that a request named; field says where it stood.
func digestOf(field, text string) (surface.Hash, error) {
	if text == "" {
		return surface.Hash{}, review.Errorf(review.Invalid, "%s is missing. Give the listing's digest: sha256: and 64 hex digits.", field)
	}
	h, err := surface.ParseHash(text)
	if err != nil {
		return h, review.Errorf(review.Invalid, "%s is not a digest: %.80q. It is sha256: and 64 lower-case hex digits, as countersign digest prints it.", field, text)
	}
	return h, nil
}

// orNil is the JSON form of a time that may not have come: null, not year 1.
func orNil(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	u := t.UTC()
	return &u
}

// moment reads a day or a time that a request gives as name; "" is the zero time. A day
// is its start by UTC, and day says that it was one.
func moment(name, text string) (t time.Time, day bool, err error) {
	if text == "" {
		return t, false, nil
	}
	if t, err = time.Parse(time.DateOnly, text); err == nil {
		return t, true, nil
	}
	if t, err = time.Parse(time.RFC3339, text); err != nil {
		return t, false, review.Errorf(review.Invalid, "%s is %.40q. Give a day such as 2026-11-30, or a time such as 2026-11-30T09:00:00Z.", name, text)
	}
	return t.UTC().Truncate(time.Microsecond), false, nil
}
