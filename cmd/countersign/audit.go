package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/review/proof"
	"github.com/countersign/countersign/review/report"
)

type auditCmd struct {
	Verify auditVerifyCmd `cmd:"" help:"Check the chain of the audit, or of an export."`
	Export auditExportCmd `cmd:"" help:"Write the audit to a file that can be checked offline."`
}

type auditVerifyCmd struct {
	Export     string   `arg:"" optional:"" help:"An export (JSON) to check offline; without: the database." placeholder:"EXPORT"`
	Key        []string `help:"Public key to trust, PEM. Without: the one of this instance, where its private half is." placeholder:"PUB" sep:"none"`
	Checkpoint []string `help:"Checkpoint that was kept elsewhere, to hold against the database." placeholder:"FILE" sep:"none"`
	Replay     bool     `help:"Also tell the acts again and compare with what the database has."`
	JSON       bool     `help:"Print JSON."`
}

// auditVerified is what the command found.
type auditVerified struct {
	review.AuditVerification
	Replay *review.Replayed `json:"replay,omitempty"`
}

// Run says what does not fit first: 0 all fits and is signed, 1 something does not
// fit, 2 all fits but no signature could be checked, or acts can't be told again.
func (c *auditVerifyCmd) Run(e *env) error {
	pins, err := publicKeys(c.Key)
	if err != nil {
		return err
	}
	v, err := c.verification(e, pins)
	if err != nil {
		return err
	}
	if err := say(e.stdout, c.JSON, v, "%s", verificationText(&v.AuditVerification)+replayText(v.Replay)); err != nil {
		return err
	}
	switch r := v.Replay; {
	case v.Fault != nil, r != nil && r.TooOld == 0 && len(r.Deviations) > 0:
		return exit(exitNo)
	case v.Links > 0 && v.Covered == 0, r != nil && r.TooOld > 0:
		return exit(exitUnsure)
	}
	return nil
}

func (c *auditVerifyCmd) verification(e *env, pins []proof.Key) (*auditVerified, error) {
	if c.Export != "" {
		if c.Replay {
			return nil, errors.New("--replay compares with the database, not with an export")
		}
		if len(c.Checkpoint) > 0 {
			return nil, errors.New("--checkpoint is held against the database, not against an export")
		}
		f, err := e.stream(c.Export)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		v, err := proof.Check(f, pins...)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Export, err)
		}
		return &auditVerified{AuditVerification: review.AuditVerification{Verification: v, Keys: keyIDs(pins)}}, nil
	}
	elsewhere, err := envelopes(c.Checkpoint)
	if err != nil {
		return nil, err
	}
	in, actor, err := administration(e.ctx, false)
	if err != nil {
		return nil, err
	}
	defer in.store.Close() // not close, which seals: whoever verifies changes nothing
	v, err := in.svc.VerifyAudit(e.ctx, actor, pins, elsewhere)
	if err != nil {
		return nil, err
	}
	out := &auditVerified{AuditVerification: *v}
	if c.Replay {
		out.Replay, err = in.svc.ReplayAudit(e.ctx, actor)
	}
	return out, err
}

// replayText says what telling the acts again came to, "" when that was not asked for.
func replayText(r *review.Replayed) string {
	switch {
	case r == nil:
		return ""
	case r.TooOld > 0:
		return fmt.Sprintf("\n%s of %d can't be told again, since an older version wrote them (the first is %s): nothing was compared.", count(r.TooOld, "act"), r.Acts, report.Line(r.FirstTooOld))
	case len(r.Deviations) == 0:
		return fmt.Sprintf("\nTold again, they come to what the database has: %s.%s", count(r.Things, "thing"), unsaidText(r))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\nTold again, they do not come to what the database has: %s.", count(len(r.Deviations)+r.More, "deviation"))
	for _, d := range r.Deviations {
		fmt.Fprintf(&b, "\n  %s", report.Line(deviationText(d)))
	}
	if r.More > 0 {
		fmt.Fprintf(&b, "\n  and %d more", r.More)
	}
	return b.String() + unsaidText(r)
}

// unsaidText says what could not be compared, "" when everything was.
func unsaidText(r *review.Replayed) string {
	if r.Unsaid == 0 {
		return ""
	}
	return fmt.Sprintf("\n%s can't be compared, since acts of an older version don't say them.", count(r.Unsaid, "fact"))
}

// deviationText says one deviation, and who has to explain it.
func deviationText(d review.Deviation) string {
	what := d.Kind + " " + d.ID
	switch {
	case d.Field != "":
		return fmt.Sprintf("%s: %s is %q in the database, and %q by the acts", what, d.Field, d.Database, d.Audit)
	case d.Audit == "":
		return fmt.Sprintf("%s is there, and no act made it: %s", what, d.Database)
	}
	return fmt.Sprintf("%s is gone, and no act took it away: %s", what, d.Audit)
}

func verificationText(v *review.AuditVerification) string {
	switch {
	case v.Fault != nil && v.Fault.Act != "":
		return fmt.Sprintf("The audit does not fit at place %d (act %s): %s", v.Fault.Seq, report.Line(v.Fault.Act), v.Fault.What)
	case v.Fault != nil:
		return fmt.Sprintf("The audit does not fit at place %d: %s", v.Fault.Seq, report.Line(v.Fault.What))
	}
	text := fmt.Sprintf("%s fit", count(int(v.Links), "act"))
	if v.LeftOut > 0 {
		text += fmt.Sprintf(" (%d of them left out of the export)", v.LeftOut)
	}
	last := v.First + v.Links - 1
	switch {
	case v.Links == 0:
	case v.Covered > 0:
		text += fmt.Sprintf("; %s signed, up to place %d", count(v.Checkpoints, "checkpoint"), v.Covered)
		if v.Covered < last {
			text += fmt.Sprintf("; the last %d have none yet", last-v.Covered)
		}
	case v.Unchecked > 0:
		text += fmt.Sprintf(". No signature was checked: give the public key (--key PUB) to check %s", count(v.Unchecked, "checkpoint"))
	default:
		text += ". No checkpoint vouches for them: they could have been made anew"
	}
	if v.Waiting > 0 {
		text += fmt.Sprintf("; %s to be sealed", count(v.Waiting, "act"))
	}
	return text + "."
}

// publicKeys reads what --key names.
func publicKeys(files []string) ([]proof.Key, error) {
	keys := make([]proof.Key, len(files))
	for i, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		if keys[i], err = proof.ParseKey(b); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	return keys, nil
}

func keyIDs(keys []proof.Key) []string {
	ids := make([]string, len(keys))
	for i, k := range keys {
		ids[i] = k.ID
	}
	return ids
}

func envelopes(files []string) ([]proof.Envelope, error) {
	var out []proof.Envelope
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		env, err := proof.ParseEnvelope(b)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		out = append(out, env)
	}
	return out, nil
}

type auditExportCmd struct {
	File   string    `arg:"" help:"Where to write it; - is standard output."`
	Server string    `help:"Only acts on this server." placeholder:"SLUG"`
	Since  time.Time `help:"Only acts since then, such as 2026-11-30T09:00:00Z."`
	Until  time.Time `help:"Only acts before then."`
	Format string    `help:"json can be verified; csv is for a spreadsheet." enum:"json,csv" default:"json"`
}

// Run writes the export. A file is there whole or not at all.
func (c *auditExportCmd) Run(e *env) error {
	in, actor, err := administration(e.ctx, false)
	if err != nil {
		return err
	}
	defer in.close()
	if err := in.prepareKey(e.ctx); err != nil {
		fmt.Fprintf(e.stderr, "countersign: the export has no fresh checkpoint: %s\n", report.Line(err.Error()))
	}
	write := func(w io.Writer) error {
		x := proof.NewJSON(w)
		if c.Format == "csv" {
			x = proof.NewCSV(w)
		}
		return in.svc.ExportAudit(e.ctx, actor, review.AuditQuery{Server: c.Server, Since: c.Since, Until: c.Until}, x)
	}
	if c.File == "-" {
		return write(e.stdout)
	}
	return replaceFile(c.File, write)
}

// replaceFile writes beside a file and renames, readable by its owner only.
func replaceFile(path string, write func(io.Writer) error) error {
	part := path + ".part"
	f, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	if err := errors.Join(write(f), f.Close()); err != nil {
		return errors.Join(err, os.Remove(part))
	}
	return os.Rename(part, path)
}
