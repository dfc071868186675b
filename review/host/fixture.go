package host

import (
	"bytes"
	"fmt"

	"github.com/countersign/countersign/review/surface"
)

// Fixture is what a host was seen to send of one server, with what was listed: what
// a profile is tested with. Files of them stand in testdata/captured, and hold one
// JSON object with the members host, version, variant, recorded, server, listing
// and capture.
type Fixture struct {
	Host, Version, Variant string
	Recorded               string // day
	Server                 string // name in the host's configuration
	Listing                []byte // an answer to tools/list
	Capture                []byte // as package surface strips it
}

// NewFixture makes a fixture of a comparison. Of the listing it holds the tools and
// the instructions, of the capture the tools of this server.
func NewFixture(c *Comparison, version, variant, recorded, server string, l *surface.Listing) Fixture {
	return Fixture{Host: c.Host, Version: version, Variant: variant, Recorded: recorded, Server: server, Listing: listingOf(l), Capture: c.Capture()}
}

func listingOf(l *surface.Listing) []byte {
	var b bytes.Buffer
	b.WriteByte('{')
	if l.Instructions.Present {
		fmt.Fprintf(&b, `"instructions":%s,`, surface.EncodeString(l.Instructions.Text))
	}
	b.WriteString(`"tools":[`)
	for i, t := range l.Tools {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
		b.Write(t.Raw)
	}
	b.WriteString("\n]}")
	return b.Bytes()
}

// JSON writes the fixture as it stands in a file.
func (f Fixture) JSON() []byte {
	var b bytes.Buffer
	sep := byte('{')
	for _, m := range []struct{ name, text string }{
		{"host", f.Host}, {"version", f.Version}, {"variant", f.Variant}, {"recorded", f.Recorded}, {"server", f.Server},
	} {
		b.WriteByte(sep)
		fmt.Fprintf(&b, "%s:%s", surface.EncodeString(m.name), surface.EncodeString(m.text))
		sep = ','
	}
	fmt.Fprintf(&b, ",\n\"listing\":%s,\n\"capture\":%s}\n", f.Listing, f.Capture)
	return b.Bytes()
}

// ParseFixture reads what [Fixture.JSON] wrote.
func ParseFixture(raw []byte) (*Fixture, error) {
	f := &Fixture{}
	texts := map[string]*string{"host": &f.Host, "version": &f.Version, "variant": &f.Variant, "recorded": &f.Recorded, "server": &f.Server}
	if _, err := surface.NewTool(0, raw); err != nil {
		return nil, fmt.Errorf("fixture: %w", err)
	}
	for name, v := range surface.Members(raw) {
		switch to := texts[name]; {
		case to != nil:
			*to, _ = surface.DecodeString(v)
		case name == "listing":
			f.Listing = v
		case name == "capture":
			f.Capture = v
		}
	}
	if f.Host == "" || f.Server == "" || f.Listing == nil || f.Capture == nil {
		return nil, fmt.Errorf("fixture: want an object with host, server, listing and capture")
	}
	return f, nil
}

// Compare holds the fixture against the profile of its host as it is now.
func (f *Fixture) Compare() (*Comparison, error) {
	p, err := Lookup(f.Host)
	if err != nil {
		return nil, err
	}
	if p, err = p.As(f.Variant); err != nil {
		return nil, err
	}
	listed, err := surface.Read(f.Listing, surface.Options{})
	if err != nil {
		return nil, fmt.Errorf("fixture: listing: %w", err)
	}
	capture, err := surface.Read(f.Capture, surface.Options{})
	if err != nil {
		return nil, fmt.Errorf("fixture: capture: %w", err)
	}
	return Compare(p, capture, Mount(f.Server, listed))
}
