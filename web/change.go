package web

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/cost"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/report"
	"github.com/countersign/countersign/review/surface"
	"github.com/countersign/countersign/web/api"
)

// compareListings answers with the diff's JSON of any two listings of a server.
func (s *Server) compareListings(c echo.Context) error {
	from, to := c.QueryParam("from"), c.QueryParam("to")
	if from == "" || to == "" {
		return review.Errorf(review.Invalid, "Say what to compare: from and to, each a listing's id, its digest or a version.")
	}
	view, err := s.svc.Compare(c.Request().Context(), s.actor(c), c.Param("server"), from, to)
	if err != nil {
		return err
	}
	diff, err := report.Diff(view.Report)
	if err != nil {
		return fmt.Errorf("report of %s to %s: %w", view.From.ID, view.To.ID, err)
	}
	return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, diff)
}

// releaseChanges answers with the diff's JSON against the gate base, every change
// with where its decision stands.
func (s *Server) releaseChanges(c echo.Context) error {
	view, err := s.svc.Release(c.Request().Context(), s.actor(c), c.Param("id"))
	if err != nil {
		return err
	}
	diff, err := report.Diff(view.Report)
	if err != nil {
		return fmt.Errorf("report of release %s: %w", view.Release.ID, err)
	}
	states := make(map[string]api.ChangeState, len(view.Changes))
	for _, d := range view.Changes {
		states[d.ID] = presentState(d, view.Sight.Changes[d.ID])
	}
	body, err := withStates(diff, states, presentSight(view))
	if err != nil {
		return fmt.Errorf("states of release %s: %w", view.Release.ID, err)
	}
	return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, body)
}

// decide keeps a batch of verdicts, all or none, and answers with what is still
// required.
func (s *Server) decide(c echo.Context) error {
	var in api.VerdictsRequest
	if err := readJSON(c, &in); err != nil {
		return err
	}
	asked, ok := in.Asked()
	if !ok {
		return review.Errorf(review.Invalid, "Beside items stands one answer more. Put it into items, or leave items out.")
	}
	items := make([]review.VerdictItem, 0, len(asked))
	for _, it := range asked {
		items = append(items, itemOf(it))
	}
	view, err := s.svc.DecideAlso(c.Request().Context(), s.actor(c), c.Param("id"), items, in.Profiles)
	if err != nil {
		return err
	}
	return writeJSON(c, http.StatusOK, gateResult(view.Answer))
}

func presentState(d review.Decided, sight review.ChangeSight) api.ChangeState {
	state := api.ChangeState{
		State:        string(gate.NotApplicable),
		Requirements: []api.Requirement{},
		Verdicts:     make([]api.Verdict, 0, len(d.Verdicts)),
		GrowthTokens: sight.Growth,
		InvisibleIn:  append([]string{}, sight.Unseen...),
		EditsUnseen:  map[string][]string{},
		MovesCut:     []api.CutMove{},
	}
	maps.Copy(state.EditsUnseen, sight.Edits)
	for _, m := range sight.Moved {
		state.MovesCut = append(state.MovesCut, api.CutMove{Host: m.Host, Behind: whole(m.Behind), Front: whole(m.Front)})
	}
	if d.Requirement != nil {
		state.State = string(d.Requirement.State)
		state.Requirements = requirements([]gate.Requirement{*d.Requirement})
	}
	for _, v := range d.Verdicts {
		state.Verdicts = append(state.Verdicts, api.Verdict{
			ID: v.ID, Change: v.ChangeID, Edit: v.Edit, Verdict: string(v.Kind), Note: v.Note,
			By: v.UserLabel, At: v.At.UTC(), OwnPush: v.OwnPush, Active: !v.UsedUp && v.RevokedAt.IsZero(), Evidence: presentTrials(v.Evidence),
		})
	}
	return state
}

// whole are texts in which what is no UTF-8 was replaced.
func whole(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = strings.ToValidUTF8(s, "\uFFFD")
	}
	return out
}

func presentSight(v *review.ReleaseView) api.SightState {
	s, b := v.Sight, v.Sight.Prefix
	state := api.SightState{
		Hosts: append([]string{}, s.Hosts...), Tokenizer: cost.Tokenizer, Tokens: s.Tokens, Growth: s.Tokens - s.Base,
		Prefix: api.Prefix{Kept: b.Kept, KeptTokens: b.KeptTokens, Resent: b.Resent, BrokenBy: strings.ToValidUTF8(b.Tool, "\uFFFD"), Position: b.Position, Why: string(b.Why)},
	}
	return state
}

// withStates adds to each element of "changes" the members of its state, and the
// sight as a whole. The report is not decoded for it: strings that Go can't hold
// would not survive.
func withStates(diff []byte, states map[string]api.ChangeState, sight api.SightState) ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	for name, value := range surface.Members(diff) {
		if out.Len() > 1 {
			out.WriteByte(',')
		}
		out.Write(surface.EncodeString(name))
		out.WriteByte(':')
		if name != "changes" {
			out.Write(value)
			continue
		}
		if err := writeChanges(&out, value, states); err != nil {
			return nil, err
		}
	}
	whole, err := json.Marshal(sight, jsonOut)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(&out, ",\"sight\":%s}\n", whole)
	return out.Bytes(), nil
}

func writeChanges(out *bytes.Buffer, changes jsontext.Value, states map[string]api.ChangeState) error {
	out.WriteByte('[')
	first := true
	for value := range surface.Elements(changes) {
		if !first {
			out.WriteByte(',')
		}
		first = false
		state, ok := states[changeID(value)]
		if !ok {
			return fmt.Errorf("change %q of the report has no state", changeID(value))
		}
		extra, err := json.Marshal(state, jsonOut)
		if err != nil {
			return err
		}
		// {"id":…} and {"state":…} become one object.
		out.Write(bytes.TrimSuffix(bytes.TrimSpace(value), []byte("}")))
		out.WriteByte(',')
		out.Write(extra[1:])
	}
	out.WriteByte(']')
	return nil
}

func changeID(value jsontext.Value) string {
	for name, v := range surface.Members(value) {
		if name == "id" {
			id, _ := surface.DecodeString(v)
			return id
		}
	}
	return ""
}

func presentTrials(list []gate.Trial) []api.Trial {
	var out []api.Trial
	for _, t := range list {
		out = append(out, api.Trial(t))
	}
	return out
}

func trials(list []api.Trial) []gate.Trial {
	var out []gate.Trial
	for _, t := range list {
		out = append(out, gate.Trial(t))
	}
	return out
}
