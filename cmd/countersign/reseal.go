package main

import (
	"fmt"
	"os"
	"strings"
)

type resealCmd struct {
	OldSecretFile string `help:"File that holds the SECRET of before. A line end at its end doesn't count." required:"" placeholder:"FILE"`
	JSON          bool   `help:"Print JSON."`
}

// Run seals everything under the SECRET of the environment that the old one sealed.
// Something that neither opens is an answer of no: it is named.
func (c *resealCmd) Run(e *env) error {
	old, err := os.ReadFile(c.OldSecretFile)
	if err != nil {
		return err
	}
	in, actor, err := administration(e.ctx, true)
	if err != nil {
		return err
	}
	defer in.close()
	done, err := in.svc.Reseal(e.ctx, actor, []byte(strings.TrimRight(string(old), "\r\n")))
	if err != nil {
		return err
	}
	words := fmt.Sprintf("Sealed %s and %s under the new SECRET; %d were already.",
		count(done.Secrets, "webhook secret"), count(done.Factors, "second factor"), done.Kept)
	if done.Headers > 0 {
		words += fmt.Sprintf("\nSo are the headers of %s.", count(done.Headers, "endpoint"))
	}
	if len(done.Servers) > 0 {
		words += "\nNeither SECRET opens those of " + strings.Join(done.Servers, ", ") + ": countersign server rotate-secret SLUG."
	}
	if len(done.People) > 0 {
		words += "\nNeither SECRET opens the second factor of " + strings.Join(done.People, ", ") + ": countersign user remove-second-factor EMAIL."
	}
	if len(done.Live) > 0 {
		words += "\nNeither SECRET opens the headers of the endpoints " + strings.Join(done.Live, ", ") + ": give them anew on their pages."
	}
	if err := say(e.stdout, c.JSON, done, "%s", words); err != nil {
		return err
	}
	if len(done.Servers)+len(done.People)+len(done.Live) > 0 {
		return exit(exitNo)
	}
	return nil
}
