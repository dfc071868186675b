package main

import (
	"fmt"
	"runtime/debug"
)

// release is the version that a build was told to be, with
// -ldflags "-X main.release=1.2.3".
var release string

type versionCmd struct{}

// Run prints what was built.
func (c *versionCmd) Run(e *env) error {
	_, err := fmt.Fprintln(e.stdout, "countersign", version())
	return err
}

// version says what was built: what the build was told, else the module's version, and the commit when the
// build knew it.
func version() string {
	if release != "" {
		return release
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	v := info.Main.Version
	if v == "" || v == "(devel)" {
		v = "development"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			v += " (" + s.Value[:12] + ")"
		}
	}
	return v
}
