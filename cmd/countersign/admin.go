package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/countersign/countersign/internal/config"
	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/gate"
	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/report"
)

// say prints an answer as JSON, or in words.
func say(w io.Writer, asJSON bool, answer any, format string, args ...any) error {
	if !asJSON {
		_, err := fmt.Fprintf(w, format+"\n", args...)
		return err
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(answer); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

type migrateCmd struct {
	JSON bool `help:"Print JSON."`
}

// Run migrates and says so; opening the instance is what migrates.
func (c *migrateCmd) Run(e *env) error {
	in, _, err := founding(e.ctx, false)
	if err != nil {
		return err
	}
	defer in.close()
	return say(e.stdout, c.JSON, map[string]bool{"migrated": true}, "The database is at this version.")
}

type configCmd struct {
	JSON bool `help:"Print JSON."`
}

// Run prints the configuration, and every fault of it.
func (c *configCmd) Run(e *env) error {
	cfg, err := config.FromEnvironment()
	warnings := append([]string{}, configWarnings(cfg)...)
	if said := say(e.stdout, c.JSON, struct {
		Settings []config.Setting `json:"settings"`
		Warnings []string         `json:"warnings"`
	}{cfg.Settings(), warnings}, "%s", strings.Join(cfg.Redacted(), "\n")); said != nil {
		return said
	}
	if !c.JSON {
		for _, w := range warnings {
			fmt.Fprintln(e.stderr, "countersign: warning: "+report.Line(w))
		}
	}
	return err
}

// configWarnings are what is unwise in the configuration, and what nothing reads.
func configWarnings(cfg config.Config) []string {
	warnings := cfg.Warnings()
	for _, s := range config.Strangers(os.Environ()) {
		if s.Near == "" { // the others are faults
			warnings = append(warnings, s.Error())
		}
	}
	return warnings
}

type serverCmd struct {
	Add          serverAddCmd    `cmd:"" help:"Register a server; prints its webhook secret once."`
	List         serverListCmd   `cmd:"" help:"List the servers."`
	RotateSecret serverRotateCmd `cmd:"" help:"Make a new webhook secret; the old one is accepted for 24 hours."`
	Import       serverImportCmd `cmd:"" help:"Push every version of a folder, oldest first."`
}

type serverAddCmd struct {
	Slug   string `arg:"" help:"Short name in addresses: lower-case letters, digits and dashes."`
	Name   string `help:"Name for people."`
	Policy string `help:"Who reviews? team, solo (just me) or external (not our server)." enum:"team,solo,external" default:"team"`
	JSON   bool   `help:"Print JSON."`
}

// Run registers a server.
func (c *serverAddCmd) Run(e *env) error {
	in, actor, err := founding(e.ctx, true)
	if err != nil {
		return err
	}
	defer in.close()
	s, secret, err := in.svc.AddServer(e.ctx, actor, review.NewServer{Slug: c.Slug, Name: c.Name, Preset: gate.Preset(c.Policy)})
	if err != nil {
		return err
	}
	return say(e.stdout, c.JSON, struct {
		ID            string `json:"id"`
		Slug          string `json:"slug"`
		WebhookSecret string `json:"webhook_secret"`
	}{s.ID, s.Slug, secret}, "Server %s added. Its webhook secret is shown only now:\n%s", s.Slug, secret)
}

type serverListCmd struct {
	JSON bool `help:"Print JSON."`
}

// Run lists the servers.
func (c *serverListCmd) Run(e *env) error {
	in, actor, err := administration(e.ctx, false)
	if err != nil {
		return err
	}
	defer in.close()
	views, err := in.svc.Servers(e.ctx, actor)
	if err != nil {
		return err
	}
	type line struct {
		ID     string      `json:"id"`
		Slug   string      `json:"slug"`
		Name   string      `json:"name"`
		Policy gate.Preset `json:"policy"`
		Gate   gate.Result `json:"gate"`
	}
	lines := make([]line, 0, len(views))
	var text strings.Builder
	for _, v := range views {
		lines = append(lines, line{v.Server.ID, v.Server.Slug, v.Server.Name, v.Server.Policy.Preset, v.Gate})
		fmt.Fprintf(&text, "%s\t%s\t%s\n", v.Server.Slug, v.Server.Policy.Preset, v.Why)
	}
	if len(lines) == 0 {
		text.WriteString("No server yet. Add one: countersign server add SLUG\n")
	}
	return say(e.stdout, c.JSON, map[string]any{"servers": lines}, "%s", strings.TrimSuffix(text.String(), "\n"))
}

type serverRotateCmd struct {
	Slug string `arg:"" help:"The server."`
	JSON bool   `help:"Print JSON."`
}

// Run makes a new webhook secret.
func (c *serverRotateCmd) Run(e *env) error {
	in, actor, err := administration(e.ctx, true)
	if err != nil {
		return err
	}
	defer in.close()
	secret, err := in.svc.RotateSecret(e.ctx, actor, c.Slug)
	if err != nil {
		return err
	}
	return say(e.stdout, c.JSON, struct {
		Slug          string `json:"slug"`
		WebhookSecret string `json:"webhook_secret"`
	}{c.Slug, secret}, "New webhook secret of %s, shown only now; the old one is accepted for 24 hours:\n%s", c.Slug, secret)
}

type serverImportCmd struct {
	Slug string `arg:"" help:"The server, registered already."`
	Dir  string `arg:"" help:"Folder of listings, one file a version: 1.2.0.json." type:"existingdir"`
	JSON bool   `help:"Print JSON."`
}

// Run pushes the files of a folder in the order of their names as versions, and says
// after each how far it is; a file that is refused is named and the others go on, but
// the command fails. What was kept when it is stopped stays kept, and pushing it again
// is quick, so running it again goes on.
func (c *serverImportCmd) Run(e *env) error {
	in, actor, err := administration(e.ctx, true)
	if err != nil {
		return err
	}
	defer in.close()
	files, err := filepath.Glob(filepath.Join(c.Dir, "*.json"))
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return fmt.Errorf("%s: the folder has no .json files: name each listing after its version, such as 1.2.0.json", c.Dir)
	}
	sortVersions(files)
	refused := 0
	for i, file := range files {
		err := c.importFile(e, in, actor, file, i+1, len(files))
		if e.ctx.Err() != nil {
			return fmt.Errorf("stopped in version %d of %d: those before it are kept, run this again to go on", i+1, len(files))
		}
		if review.KindOf(err) == review.RateLimited {
			return fmt.Errorf("stopped at version %d of %d, those before it are kept. %s", i+1, len(files), sentenceOf(err))
		}
		if err != nil {
			fail(e.stderr, fmt.Errorf("%s: %s", file, sentenceOf(err)))
			refused++
		}
	}
	if refused > 0 {
		return fmt.Errorf("%d of %d versions were refused", refused, len(files))
	}
	return nil
}

// importFile pushes one file, and says at which place of all it stands.
func (c *serverImportCmd) importFile(e *env, in *instance, actor review.Actor, file string, place, of int) error {
	body, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	version := versionOf(file)
	pushed, err := in.svc.Upload(e.ctx, actor, c.Slug, review.PushParams{Version: version, Complete: true, Place: place, Of: of}, body, file)
	if err != nil {
		return err
	}
	if c.JSON {
		_, err = fmt.Fprintf(e.stdout, "%s\n", pushed.Body)
		return err
	}
	what := count(pushed.Answer.Listing.Tools, "tool")
	if pushed.Status == review.PushSame {
		what += ", kept before"
	}
	_, err = fmt.Fprintf(e.stdout, "%d of %d, %s: %s\n", place, of, version, what)
	return err
}

type userCmd struct {
	Add           userAddCmd       `cmd:"" help:"Add a person; prints an invitation link unless a password is given."`
	Role          userRoleCmd      `cmd:"" help:"Give a person another role, on a server or on every one."`
	ResetLink     userResetCmd     `cmd:"" help:"Make a link with which a person sets a new password."`
	RemoveFactor  removeFactorCmd  `cmd:"" name:"remove-second-factor" help:"Remove the second factor of somebody who lost it; ends their sessions."`
	RevokeAnswers revokeAnswersCmd `cmd:"" help:"Take back what an account answered since a time."`
	MayOverride   mayOverrideCmd   `cmd:"" help:"Let a person override on a server, or not any more."`
}

type userAddCmd struct {
	Email        string   `arg:"" help:"Mail address: it is the name to sign in with."`
	Role         string   `help:"What the person may do." enum:"admin,maintainer,reviewer,viewer" required:""`
	Name         string   `help:"Name for people."`
	PasswordFile string   `help:"File whose first line is the password."`
	Server       []string `help:"Only on this server, or on these; without: on every server." placeholder:"SLUG"`
	JSON         bool     `help:"Print JSON."`
}

// Run adds a person.
func (c *userAddCmd) Run(e *env) error {
	password, err := firstLine(c.PasswordFile)
	if err != nil {
		return err
	}
	in, actor, err := founding(e.ctx, false)
	if err != nil {
		return err
	}
	defer in.close()
	u, link, err := in.svc.AddUser(e.ctx, actor, review.NewUser{
		Email: c.Email, Name: c.Name, Role: people.Role(c.Role), Servers: c.Server, Password: password,
	})
	if err != nil {
		return err
	}
	answer := struct {
		ID    string `json:"id"`
		Email string `json:"email"`
		Link  string `json:"link,omitempty"`
	}{u.ID, u.Email, link}
	if link == "" {
		return say(e.stdout, c.JSON, answer, "%s added.", u.Email)
	}
	return say(e.stdout, c.JSON, answer, "%s added. Give them this link, which works once:\n%s", u.Email, link)
}

type userRoleCmd struct {
	Email  string `arg:"" help:"The person's mail address."`
	Role   string `arg:"" help:"What the person may do: admin, maintainer, reviewer, viewer, or none." enum:"admin,maintainer,reviewer,viewer,none"`
	Server string `help:"Only on this server; without: on every server." placeholder:"SLUG"`
	JSON   bool   `help:"Print JSON."`
}

// Run sets a role. It is the operator's act, so no second person is asked.
func (c *userRoleCmd) Run(e *env) error {
	in, actor, err := administration(e.ctx, false)
	if err != nil {
		return err
	}
	defer in.close()
	u, err := in.userByEmail(e, actor, c.Email)
	if err != nil {
		return err
	}
	role := people.Role(c.Role)
	if c.Role == "none" {
		role = people.NoRole
	}
	if _, err := in.svc.SetRole(e.ctx, actor, u.ID, c.Server, role); err != nil {
		return err
	}
	where := "every server"
	if c.Server != "" {
		where = c.Server
	}
	return say(e.stdout, c.JSON, struct {
		Email  string `json:"email"`
		Role   string `json:"role"`
		Server string `json:"server"` // "" for every one
	}{u.Email, c.Role, c.Server}, "%s is %s on %s.", u.Email, c.Role, where)
}

// firstLine reads a password; without a file there is none.
func firstLine(file string) (string, error) {
	if file == "" {
		return "", nil
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	line, _, _ := strings.Cut(string(b), "\n")
	line = strings.TrimSuffix(line, "\r")
	if line == "" {
		return "", fmt.Errorf("%s: the first line is empty: it should be the password", file)
	}
	return line, nil
}

type userResetCmd struct {
	Email string `arg:"" help:"The person's mail address."`
	JSON  bool   `help:"Print JSON."`
}

// Run makes a reset link.
func (c *userResetCmd) Run(e *env) error {
	in, actor, err := administration(e.ctx, false)
	if err != nil {
		return err
	}
	defer in.close()
	link, err := in.svc.ResetLink(e.ctx, actor, c.Email)
	if err != nil {
		return err
	}
	return say(e.stdout, c.JSON, map[string]string{"link": link}, "This link works once, for an hour:\n%s", link)
}

type removeFactorCmd struct {
	Email string `arg:"" help:"The person's mail address."`
	JSON  bool   `help:"Print JSON."`
}

// Run removes a second factor.
func (c *removeFactorCmd) Run(e *env) error {
	in, actor, err := administration(e.ctx, false)
	if err != nil {
		return err
	}
	defer in.close()
	u, err := in.svc.UserByEmail(e.ctx, actor, c.Email)
	if err != nil {
		return err
	}
	if err := in.svc.RemoveSecondFactor(e.ctx, actor, u.ID); err != nil {
		return err
	}
	return say(e.stdout, c.JSON, map[string]string{"email": u.Email}, "The second factor of %s is removed; their sessions are ended.", u.Email)
}

type tokenCmd struct {
	Create tokenCreateCmd `cmd:"" help:"Create a token; it is shown once."`
}

type tokenCreateCmd struct {
	Server  string   `help:"Only for this server; without: for every server."`
	Profile string   `help:"Only for this profile of the server; without: for every profile. For push and gate."`
	Scopes  []string `help:"What it may do: push, gate, read, review." required:""`
	User    string   `help:"Mail address of the person that it acts as; review needs one."`
	Name    string   `help:"What it is for."`
	Days    int      `help:"Days until it expires." default:"90"`
	JSON    bool     `help:"Print JSON."`
}

// Run creates a token.
func (c *tokenCreateCmd) Run(e *env) error {
	in, actor, err := administration(e.ctx, false)
	if err != nil {
		return err
	}
	defer in.close()
	n := review.NewToken{Name: c.Name, ServerSlug: c.Server, Profile: c.Profile, UserEmail: c.User, Days: c.Days}
	for _, s := range c.Scopes {
		scope, ok := people.ParseScope(s)
		if !ok {
			return fmt.Errorf("scope %q: want push, gate, read or review", s)
		}
		n.Scopes = append(n.Scopes, scope)
	}
	secret, t, err := in.svc.CreateToken(e.ctx, actor, n)
	if err != nil {
		return err
	}
	return say(e.stdout, c.JSON, struct {
		ID    string `json:"id"`
		Token string `json:"token"`
	}{t.ID, secret}, "The token is shown only now:\n%s", secret)
}
