package reviewtest

// replays checks that the acts of the audit, told again, come to what the database
// has: each case ends with it, whatever it did.
func (w *world) replays() {
	w.Helper()
	r, err := w.svc.ReplayAudit(w.ctx, w.shell)
	w.must(err)
	if w.forged {
		if len(r.Deviations) == 0 {
			w.Error("what was forged is not found")
		}
		return
	}
	if r.TooOld > 0 {
		w.Errorf("%d acts don't say enough to be told again, the first is %s", r.TooOld, r.FirstTooOld)
	}
	if r.Unsaid > 0 {
		w.Errorf("acts don't say %d facts that are kept", r.Unsaid)
	}
	for _, d := range r.Deviations {
		w.Errorf("%s %s %s: the audit says %q, the database has %q", d.Kind, d.ID, d.Field, d.Audit, d.Database)
	}
}
