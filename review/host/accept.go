package host

// AcceptRules say what the API of a provider takes.
type AcceptRules struct {
	set bool
}

func (a *AcceptRules) compile() error { return nil }
