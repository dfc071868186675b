// Command countersign is the server and the command line in one binary: it
// serves the dashboard, pushes listings, asks the gate, and analyses listings
// offline with the same packages that the server uses.
//
// Exit codes of every command: 0 fine or pass; 1 the answer is no; 2 can't tell;
// 3 the command failed. An error is one line on standard error that says what,
// where, and what to do.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/report"
)

// Exit codes, as the contract fixes them.
const (
	exitFine   = 0
	exitNo     = 1
	exitUnsure = 2
	exitFailed = 3
)

// exit ends a command with a code other than failure; its message, if any, has
// been printed.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// unsure is a failure that means "can't tell": exit code 2.
type unsure struct{ error }

func (u unsure) Unwrap() error { return u.error }

// env is the outside world of a command.
type env struct {
	ctx    context.Context
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
}

// grammar is the whole command line. The names are those of the contract.
type grammar struct {
	Inspect  inspectCmd  `cmd:"" help:"Read a listing: its shape, tools, digest and problems."`
	Families familiesCmd `cmd:"" help:"Group the tools of a listing by the prefixes of their names."`
	Digest   digestCmd   `cmd:"" help:"Print the digest of a listing."`
	Diff     diffCmd     `cmd:"" help:"Compare two listings: what changes for callers and readers."`
	Schema   schemaCmd   `cmd:"" help:"Compare two JSON Schemas: do calls that were valid stay valid?"`
	Lint     lintCmd     `cmd:"" help:"Say what a good reviewer would notice in a listing, or in a change."`
	Rules    rulesCmd    `cmd:"" help:"Print the rules of lint, or all about one."`
	Pull     pullCmd     `cmd:"" help:"Print the listing of a live server, bytes kept."`

	Render    renderCmd    `cmd:"" help:"Show what a host sends to the model, and what is lost on the way."`
	Preflight preflightCmd `cmd:"" help:"Say how a listing fares in hosts and at providers, and what to do."`
	Captured  capturedCmd  `cmd:"" help:"Compare a recorded request of a host with what was listed."`
	Hosts     hostsCmd     `cmd:"" help:"List the hosts that are known, with the evidence for each."`
	Cost      costCmd      `cmd:"" help:"Estimate what the definitions cost, in tokens and over a session."`

	Lock   lockCmd   `cmd:"" help:"Print the lock of a listing: the digests of all that is in it."`
	Verify verifyCmd `cmd:"" help:"Check a listing or a live server against a lock file."`

	Push pushCmd `cmd:"" help:"Push a listing to a Countersign server."`
	Gate gateCmd `cmd:"" help:"Ask whether a listing may be published."`

	Serve   serveCmd   `cmd:"" help:"Run the server."`
	Demo    demoCmd    `cmd:"" help:"Run a server with three sample servers to review."`
	Migrate migrateCmd `cmd:"" help:"Bring the database to this version."`
	Backup  backupCmd  `cmd:"" help:"Write everything that the database holds to a file, also while the server runs."`
	Restore restoreCmd `cmd:"" help:"Fill the database from a backup of either engine."`
	Purge   purgeCmd   `cmd:"" help:"Write over a text that should never have been pushed, wherever it is kept; digests stay."`
	Reseal  resealCmd  `cmd:"" help:"After a new SECRET is set: seal everything under it that the old one sealed."`
	Config  configCmd  `cmd:"" help:"Print the configuration, secrets redacted."`
	Health  healthCmd  `cmd:"" help:"Ask the server of this configuration whether it is well."`

	Policy   policyCmd   `cmd:"" help:"Export, try and import the policy of a server."`
	Server   serverCmd   `cmd:"" help:"Register servers and look after their secrets."`
	Endpoint endpointCmd `cmd:"" help:"Say where a server runs, and read what runs there."`
	User     userCmd     `cmd:"" help:"Add people, and let them in again."`
	Token    tokenCmd    `cmd:"" help:"Create tokens for machines."`
	Audit    auditCmd    `cmd:"" help:"Verify and export the audit."`
	Keys     keysCmd     `cmd:"" help:"List, export and rotate the keys that sign."`

	Version versionCmd `cmd:"" help:"Print the version."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // who asks a second time doesn't want to wait
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the program but for the process around it.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	e := &env{ctx: ctx, stdin: stdin, stdout: stdout, stderr: stderr}
	ended := -1 // set when kong printed help or the version
	parser, err := kong.New(&grammar{},
		kong.Name("countersign"),
		kong.Description("Review the tool surface of MCP servers before a release."),
		kong.Writers(stdout, stderr),
		kong.Exit(func(code int) { ended = code }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}),
	)
	if err != nil {
		return fail(stderr, err)
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	kctx, err := parser.Parse(args)
	if ended >= 0 {
		return ended
	}
	if err != nil {
		return fail(stderr, fmt.Errorf("%w (see: countersign --help)", err))
	}
	return conclude(stderr, kctx.Run(e))
}

// conclude turns the end of a command into its exit code.
func conclude(stderr io.Writer, err error) int {
	var code exit
	var u unsure
	switch {
	case err == nil:
		return exitFine
	case errors.As(err, &code):
		return int(code)
	case errors.As(err, &u):
		fail(stderr, err)
		return exitUnsure
	default:
		return fail(stderr, err)
	}
}

// fail prints the one line of an error. A sentence meant for people stands
// without its kind.
func fail(stderr io.Writer, err error) int {
	lines := strings.Split(strings.TrimRight(sentenceOf(err), "\n"), "\n")
	for i := range lines {
		// Each line by itself: a CI runner reads standard error for commands.
		lines[i] = report.Line(lines[i])
	}
	fmt.Fprintln(stderr, "countersign: "+strings.Join(lines, "\n  "))
	return exitFailed
}

// sentenceOf is what a person may read of an error.
func sentenceOf(err error) string {
	var re *review.Error
	if errors.As(err, &re) && re.Kind != review.Internal {
		return re.Sentence
	}
	return err.Error()
}
