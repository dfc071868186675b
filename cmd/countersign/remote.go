package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/countersign/countersign/review/report"
	"github.com/countersign/countersign/review/surface"
	"github.com/countersign/countersign/web/api"
	"github.com/countersign/countersign/web/client"
)

// remoteFlags say which server is asked, and as whom.
type remoteFlags struct {
	To     string `help:"Address of the Countersign server, such as https://countersign.example." required:"" placeholder:"URL"`
	Server string `help:"Slug of the registered server." required:"" placeholder:"SLUG"`
	Token  string `help:"Token to ask with." env:"COUNTERSIGN_TOKEN" placeholder:"cs_…"`
}

func (f remoteFlags) client(secret string) (*client.Client, error) {
	return client.New(client.Options{
		BaseURL: f.To, Server: f.Server, Token: f.Token, Secret: secret, Agent: "countersign/" + version(),
	})
}

type pushCmd struct {
	remoteFlags
	File        string   `arg:"" optional:"" help:"The listing: as FILE of inspect; or use --stdio or --url."`
	Stdio       string   `help:"Pull from this command first, then push." placeholder:"'CMD ARGS'"`
	URL         string   `name:"url" help:"Pull from this address first, then push."`
	Header      []string `help:"Header for --url, as K:V." placeholder:"K:V" sep:"none"`
	Profile     string   `help:"Named variant of the server's surface." placeholder:"default"`
	Version     string   `help:"Version that is to be released." xor:"as" required:""`
	Ref         string   `help:"Push without a version, such as pr-12: verdicts given there hold by digest." xor:"as" required:""`
	Predecessor string   `help:"Version that this one follows, where it is not the last released."`
	Commit      string   `help:"Commit that the listing comes from." placeholder:"SHA"`
	Author      string   `help:"Mail address of the author." placeholder:"EMAIL"`
	RunURL      string   `name:"run-url" help:"Address of the CI run; https only."`
	Complete    bool     `help:"Say that a folder, a tool or an empty listing is all there is."`
	Preview     bool     `help:"Analyse and keep nothing."`
	Rules       string   `name:"config" help:"File whose waivers are proposed to the server, instead of .countersign.yaml in this folder." placeholder:"FILE.yaml"`
	NoWaivers   bool     `help:"Propose no waivers."`
	Secret      string   `help:"Webhook secret to sign with, instead of a token." env:"COUNTERSIGN_WEBHOOK_SECRET" placeholder:"whsec_…"`
	JSON        bool     `help:"Print the answer as JSON."`
}

// Run pushes one listing.
func (c *pushCmd) Run(e *env) error {
	body, err := c.body(e)
	if err != nil {
		return err
	}
	waivers, propose, err := c.waivers()
	if err != nil {
		return err
	}
	cl, err := c.client(c.Secret)
	if err != nil {
		return remote(err)
	}
	res, err := cl.Push(e.ctx, client.PushRequest{
		Body: body, Profile: c.Profile, Version: c.Version, Ref: c.Ref, Predecessor: c.Predecessor, Commit: c.Commit,
		Author: c.Author, RunURL: c.RunURL, Complete: c.Complete, Preview: c.Preview,
	})
	if err != nil {
		return remote(err)
	}
	var fates []api.ProposedWaiver
	if propose && res.Answer.Release != nil {
		if fates, err = c.propose(e, cl, res.Answer.Release.ID, waivers); err != nil {
			return err
		}
	}
	if c.JSON {
		err = printPushJSON(e.stdout, res, fates)
	} else if err = printPush(e.stdout, res); err == nil {
		err = write(e.stdout, proposedText(fates))
	}
	if err == nil && res.Status == http.StatusAccepted {
		return exit(exitUnsure) // kept, but nothing can be said of a part
	}
	return err
}

// waivers reads what is proposed, before anything is sent: a file that can't be read
// stops the push.
func (c *pushCmd) waivers() ([]api.FileWaiver, bool, error) {
	if c.NoWaivers || c.Preview {
		return nil, false, nil
	}
	opt, found, err := teamConfig(c.Rules)
	ws := make([]api.FileWaiver, len(opt.Waivers))
	for i, w := range opt.Waivers {
		ws[i] = api.FileWaiver{
			Fingerprint: w.Fingerprint, Rule: w.Rule, Tool: w.Tool, Pointer: w.Pointer, Reason: w.Reason, By: w.By, Kind: string(w.Kind), Expires: w.Expires,
		}
	}
	return ws, found, err
}

// propose sends the waivers after the push. The listing is kept by then, so a server
// that is too old for them, or whose release is closed, is no failure.
func (c *pushCmd) propose(e *env, cl *client.Client, release string, ws []api.FileWaiver) ([]api.ProposedWaiver, error) {
	fates, err := cl.ProposeWaivers(e.ctx, release, ws)
	var refused *client.Error
	if !errors.As(err, &refused) || refused.Problem == nil {
		return fates, remote(err)
	}
	switch refused.Problem.Status {
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return nil, write(e.stderr, "The listing is pushed. Its waivers are not proposed: the server is older than this command.\n")
	case http.StatusConflict:
		return nil, write(e.stderr, "The listing is pushed. Its waivers are not proposed: "+report.Line(refused.Sentence)+"\n")
	}
	return nil, remote(err)
}

// proposedText says what became of the waivers of the file.
func proposedText(fates []api.ProposedWaiver) string {
	var b strings.Builder
	for _, p := range fates {
		var what string
		switch {
		case p.Idle != "":
			what = "asks nobody: " + p.Idle
		case p.State == "accepted":
			what = "accepted by " + p.AnsweredBy
		case p.State == "declined":
			what = "declined by " + p.AnsweredBy + ": " + p.Why
		default:
			what = "waits until somebody accepts it"
		}
		name := p.Fingerprint
		if p.Rule != "" {
			name = strings.TrimSpace(p.Rule + " " + p.Tool)
		}
		fmt.Fprintf(&b, "Waiver of %s: %s\n", report.Line(name), report.Line(what))
	}
	return b.String()
}

// printPushJSON prints the answer as received, and what became of the waivers as one
// more field.
func printPushJSON(w io.Writer, res *client.PushResult, fates []api.ProposedWaiver) error {
	answer := strings.TrimSpace(string(res.JSON))
	if len(fates) > 0 {
		b, err := json.Marshal(fates, jsontext.AllowInvalidUTF8(true))
		if err != nil {
			return err
		}
		answer = strings.TrimSuffix(answer, "}") + `,"proposed_waivers":` + string(b) + "}"
	}
	_, err := fmt.Fprintf(w, "%s\n", answer)
	return err
}

// body returns the bytes to send. A capture is sent as it was rebuilt, so that
// messages and system text never leave this machine; a file that can't be read
// as a listing is sent as it is, for the server to record why it is refused.
func (c *pushCmd) body(e *env) ([]byte, error) {
	in, err := c.input(e)
	if err != nil {
		return nil, err
	}
	l, err := in.listing(surface.Options{})
	if err == nil && (in.files != nil || l.Kind == surface.KindCapture) {
		return l.Raw, nil
	}
	if in.files != nil {
		return nil, err
	}
	return in.body, nil
}

func (c *pushCmd) input(e *env) (*input, error) {
	given := 0
	for _, s := range []string{c.File, c.Stdio, c.URL} {
		if s != "" {
			given++
		}
	}
	if given != 1 {
		return nil, errors.New("give exactly one of FILE, --stdio and --url")
	}
	if c.File != "" {
		return e.open(c.File)
	}
	header, err := headers(c.Header)
	if err != nil {
		return nil, err
	}
	return e.live(source{Stdio: c.Stdio, URL: c.URL, Header: header})
}

func printPush(w io.Writer, res *client.PushResult) error {
	a := res.Answer
	words := map[int]string{201: "Pushed", 200: "The same bytes as before", 202: "Kept, but it is only a part"}
	if a.Release != nil {
		fmt.Fprintf(w, "%s.\n", words[res.Status])
	}
	if a.Listing != nil {
		fmt.Fprintf(w, "%s, %s\n", count(a.Listing.Tools, "tool"), a.Listing.Digest)
	}
	if a.Note != "" {
		fmt.Fprintln(w, report.Line(a.Note))
	}
	if a.Gate != nil {
		fmt.Fprintf(w, "Gate: %s\n", report.Line(a.Gate.Why))
	}
	if a.Release != nil {
		writeText(w, originText(a.Release))
		fmt.Fprintln(w, report.Line(a.Release.URL))
	}
	return nil
}

func writeText(w io.Writer, line string) {
	if line != "" {
		fmt.Fprintln(w, line)
	}
}

// originText says where a release comes from, "" when its pusher did not.
func originText(r *api.PushedRelease) string {
	var parts []string
	if r.Commit != "" {
		parts = append(parts, "commit "+report.Line(r.Commit))
	}
	if r.RunURL != "" {
		parts = append(parts, "run "+report.Line(r.RunURL))
	}
	return strings.Join(parts, ", ")
}

type gateCmd struct {
	remoteFlags
	File     string        `arg:"" optional:"" help:"The listing: as FILE of inspect."`
	Digest   string        `help:"Its digest, instead of FILE." placeholder:"sha256:…"`
	Version  string        `help:"Ask for this version; without FILE and --digest, for what it stands for." placeholder:"V"`
	Profile  string        `help:"Named variant of the server's surface." placeholder:"default"`
	Wait     time.Duration `help:"Ask until the gate passes, at most this long." placeholder:"10m"`
	DryRun   bool          `help:"Print the answer, but exit 0 whatever it is."`
	JSON     bool          `help:"Print the answer as JSON."`
	Markdown bool          `help:"Print the answer as Markdown."`
}

// Run asks the gate: 0 pass, 1 blocked, 2 undecided, 3 error.
func (c *gateCmd) Run(e *env) error {
	if c.JSON && c.Markdown {
		return errors.New("give --json or --markdown, not both")
	}
	digest, err := c.digest(e)
	if err != nil {
		return err
	}
	cl, err := c.client("")
	if err != nil {
		return remote(err)
	}
	res, err := cl.WaitGate(e.ctx, client.GateRequest{Digest: digest, Version: c.Version, Profile: c.Profile}, c.Wait)
	if err != nil {
		return remote(err)
	}
	if err := c.print(e.stdout, res); err != nil {
		return err
	}
	if c.DryRun {
		return nil
	}
	switch res.Answer.Gate {
	case client.Pass:
		return nil
	case client.Blocked:
		return exit(exitNo)
	case client.Undecided:
		return exit(exitUnsure)
	default:
		return exit(exitFailed)
	}
}

// digest returns what to ask about. A part of a listing can have the digest of a
// whole one that was approved, so a part is never asked about.
func (c *gateCmd) digest(e *env) (string, error) {
	switch {
	case c.File != "" && c.Digest != "", c.File == "" && c.Digest == "" && c.Version == "":
		return "", errors.New("give either FILE or --digest, or a --version, alone or beside one of them")
	case c.File == "" && c.Digest == "":
		return "", nil
	case surface.NoBytes(c.Digest):
		return c.Digest, nil
	case c.Digest != "":
		h, err := surface.ParseHash(c.Digest)
		return h.String(), err
	}
	l, err := e.listing(c.File)
	if err != nil {
		return "", err
	}
	if l.Kind != surface.KindListing {
		return "", unsure{fmt.Errorf("%s is a %s: only a listing, as a server answers tools/list, can pass the gate", c.File, l.Kind)}
	}
	if !l.Complete {
		return "", unsure{fmt.Errorf("%s: We can't tell: this is a part of a listing. Ask with the whole one", c.File)}
	}
	return l.Digest.String(), nil
}

func (c *gateCmd) print(w io.Writer, res *client.GateResult) error {
	switch {
	case c.JSON:
		_, err := fmt.Fprintf(w, "%s\n", strings.TrimSpace(string(res.JSON)))
		return err
	case c.Markdown:
		_, err := io.WriteString(w, gateMarkdown(res.Answer))
		return err
	default:
		_, err := io.WriteString(w, gateText(res.Answer))
		return err
	}
}

// gateText lists what is open and what passes without an approval; what is met is
// counted.
func gateText(a api.GateAnswer) string {
	var b strings.Builder
	fmt.Fprintln(&b, report.Line(a.Why))
	fmt.Fprintln(&b, "  "+subjectText(a))
	met := 0
	for _, r := range a.Requirements {
		switch r.State {
		case "open":
			fmt.Fprintf(&b, "  open: %s: %s", report.Line(r.ID), report.Line(r.Why))
			if len(r.WhoCan) > 0 {
				fmt.Fprintf(&b, " (%s)", report.Line(strings.Join(r.WhoCan, ", ")))
			}
			fmt.Fprintln(&b)
		case "overridden":
			fmt.Fprintf(&b, "  NOT APPROVED, overridden: %s: %s\n", report.Line(r.ID), report.Line(r.Why))
		case "satisfied":
			met++
		}
	}
	for _, alarm := range a.Alarms {
		fmt.Fprintf(&b, "  ALARM: %s\n", report.Line(alarm.Why))
	}
	if met > 0 {
		fmt.Fprintf(&b, "  %s met\n", count(met, "requirement"))
	}
	if a.Release != nil {
		writeText(&b, originText(a.Release))
		fmt.Fprintln(&b, report.Line(a.Release.URL))
	}
	return b.String()
}

// subjectText names what the gate answered about.
func subjectText(a api.GateAnswer) string {
	parts := []string{report.Line(a.Server)}
	if a.Release != nil {
		parts[0] += " " + report.Line(a.Release.Version)
	}
	if a.Profile != "default" {
		parts = append(parts, "profile "+report.Line(a.Profile))
	}
	if a.Digest != "" {
		parts = append(parts, report.Line(a.Digest))
	}
	return strings.Join(parts, ", ")
}

// gateMarkdown is gateText for a pull request's comment.
func gateMarkdown(a api.GateAnswer) string {
	var b strings.Builder
	fmt.Fprintf(&b, "**Countersign: %s.** %s\n", report.Markdown(a.Gate), report.Markdown(a.Why))
	fmt.Fprintf(&b, "\n%s\n", subjectMarkdown(a))
	for _, alarm := range a.Alarms {
		fmt.Fprintf(&b, "\n**Alarm:** %s\n", report.Markdown(alarm.Why))
	}
	met := 0
	var open, passed []string
	for _, r := range a.Requirements {
		switch r.State {
		case "open":
			open = append(open, fmt.Sprintf("| %s | %s | %s |\n", report.Markdown(r.ID), report.Markdown(r.Why), report.Markdown(strings.Join(r.WhoCan, ", "))))
		case "overridden":
			passed = append(passed, fmt.Sprintf("| %s | %s |\n", report.Markdown(r.ID), report.Markdown(r.Why)))
		case "satisfied":
			met++
		}
	}
	if len(open) > 0 {
		b.WriteString("\n| Open | Why | Who can |\n| --- | --- | --- |\n" + strings.Join(open, ""))
	}
	if len(passed) > 0 {
		b.WriteString("\n| **Not approved**, overridden | Why |\n| --- | --- |\n" + strings.Join(passed, ""))
	}
	if met > 0 {
		fmt.Fprintf(&b, "\n%s met.\n", count(met, "requirement"))
	}
	return b.String()
}

// subjectMarkdown names what the gate answered about, and leads there and to the run
// that pushed it.
func subjectMarkdown(a api.GateAnswer) string {
	if a.Release == nil {
		return report.Markdown(subjectText(a))
	}
	parts := []string{linked(report.Markdown(a.Server+" "+a.Release.Version), a.Release.URL)}
	if a.Profile != "default" {
		parts = append(parts, "profile "+report.Markdown(a.Profile))
	}
	parts = append(parts, report.Code(a.Digest))
	switch r := a.Release; {
	case r.Commit != "":
		parts = append(parts, "commit "+linked(report.Code(r.Commit), r.RunURL))
	case r.RunURL != "":
		parts = append(parts, linked("run", r.RunURL))
	}
	return strings.Join(parts, ", ")
}

// linked makes a link of Markdown, where the address is one of the web and can't end it.
func linked(text, address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || strings.ContainsAny(u.String(), "<>\n ") {
		return text
	}
	return "[" + text + "](<" + u.String() + ">)"
}

// remote words a failure of the client: what can't be reached is "can't tell",
// everything else failed.
func remote(err error) error {
	if client.KindOf(err) == client.Unreachable {
		return unsure{err}
	}
	return err
}
