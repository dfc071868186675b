package report

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"net/url"
	"strings"

	"github.com/countersign/countersign/review/lint"
	"github.com/countersign/countersign/review/surface"
)

// sarif is the part of SARIF 2.1.0 that we write.
type sarif struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool struct {
		Driver sarifDriver `json:"driver"`
	} `json:"tool"`
	Results []sarifResult `json:"results"`
}

type sarifDriver struct {
	Name           string      `json:"name"`
	InformationURI string      `json:"informationUri"`
	Version        string      `json:"version"`
	Rules          []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID               string       `json:"id"`
	ShortDescription sarifMessage `json:"shortDescription"`
	FullDescription  sarifMessage `json:"fullDescription"`
	Help             sarifMessage `json:"help"`
}

type sarifMessage struct {
	Text text `json:"text"`
}

type sarifResult struct {
	RuleID              string             `json:"ruleId"`
	RuleIndex           int                `json:"ruleIndex"`
	Level               string             `json:"level"`
	Message             sarifMessage       `json:"message"`
	Locations           []sarifLocation    `json:"locations"`
	PartialFingerprints map[string]string  `json:"partialFingerprints"`
	BaselineState       string             `json:"baselineState,omitempty"`
	Suppressions        []sarifSuppression `json:"suppressions,omitempty"`
	Properties          map[string]string  `json:"properties"`
}

type sarifLocation struct {
	PhysicalLocation sarifPhysical  `json:"physicalLocation"`
	LogicalLocations []sarifLogical `json:"logicalLocations"`
}

type sarifPhysical struct {
	ArtifactLocation struct {
		URI text `json:"uri"`
	} `json:"artifactLocation"`
	Region struct {
		StartLine int `json:"startLine"`
	} `json:"region"`
}

type sarifLogical struct {
	FullyQualifiedName text   `json:"fullyQualifiedName"`
	Kind               string `json:"kind"`
}

type sarifSuppression struct {
	Kind          string `json:"kind"`
	Justification text   `json:"justification"`
}

// Origin says where a listing was read from, so that a finding can be shown in a file.
type Origin struct {
	URI     string // as the code host knows the file
	Listing *surface.Listing
	HasBase bool
}

// FindingsSARIF writes findings as SARIF 2.1.0, which code hosts show beside the code.
func FindingsSARIF(found []lint.Finding, from Origin) ([]byte, error) {
	run := sarifRun{Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: "countersign", InformationURI: "https://github.com/countersign/countersign", Version: lint.Version, Rules: []sarifRule{}}
	index := map[string]int{}
	lines := toolLines(from.Listing)
	for _, f := range found {
		if _, ok := index[f.Rule]; !ok {
			index[f.Rule] = len(run.Tool.Driver.Rules)
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRuleOf(f.Rule))
		}
		run.Results = append(run.Results, sarifResultOf(f, index[f.Rule], from, lines))
	}
	return encode(sarif{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}

func sarifRuleOf(id string) sarifRule {
	r, _ := lint.RuleByID(id)
	return sarifRule{r.ID, sarifMessage{text(r.Title)}, sarifMessage{text(r.Why)}, sarifMessage{text(r.Fix)}}
}

func sarifResultOf(f lint.Finding, index int, from Origin, lines []int) sarifResult {
	r := sarifResult{
		RuleID: f.Rule, RuleIndex: index, Level: sarifLevel(f.Severity), Message: sarifMessage{sarifText(Line(f.Message + " Fix: " + f.Fix))},
		PartialFingerprints: map[string]string{"countersign/v1": f.Fingerprint}, Properties: map[string]string{"severity": string(f.Severity)},
	}
	if from.HasBase {
		r.BaselineState = "unchanged"
		if f.New {
			r.BaselineState = "new"
		}
	}
	if w := f.Waiver; w != nil {
		r.Suppressions = []sarifSuppression{{"external", sarifText(ShortLine(waiverLine(w)))}}
	}
	places := f.Places
	if places == nil {
		places = []lint.Place{f.Place}
	}
	for _, p := range places {
		r.Locations = append(r.Locations, sarifLocationOf(p, from.URI, lines))
	}
	return r
}

func sarifLocationOf(p lint.Place, uri string, lines []int) sarifLocation {
	var l sarifLocation
	l.PhysicalLocation.ArtifactLocation.URI = text(sarifURI(uri))
	l.PhysicalLocation.Region.StartLine = 1
	if p.Position > 0 && p.Position <= len(lines) {
		l.PhysicalLocation.Region.StartLine = lines[p.Position-1]
	}
	l.LogicalLocations = []sarifLogical{{sarifText(ShortLine(p.Tool + p.Pointer)), "member"}}
	return l
}

// sarifText takes apart what readers of SARIF show as a link: [words](address).
func sarifText(line string) text { return text(strings.ReplaceAll(line, "](", "] (")) }

// sarifURI is the address of a file, which the format wants, or of a live server.
func sarifURI(file string) string {
	if u, err := url.Parse(file); err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil {
		return u.String()
	}
	if rest := strings.TrimLeft(file, "/"); rest != file {
		file = "/" + rest // two of them would begin the name of a machine
	}
	return (&url.URL{Path: file}).String()
}

func sarifLevel(s lint.Severity) string {
	switch s {
	case lint.Critical, lint.High:
		return "error"
	case lint.Warn:
		return "warning"
	}
	return "note"
}

// toolLines are the lines, from 1, on which the definitions start.
func toolLines(l *surface.Listing) []int {
	if l == nil {
		return nil
	}
	lines := make([]int, len(l.Tools))
	line, at := 1, 0
	for i, t := range l.Tools {
		if t.Offset >= at && t.Offset <= len(l.Raw) {
			line += bytes.Count(l.Raw[at:t.Offset], []byte("\n"))
			at = t.Offset
		}
		lines[i] = line
	}
	return lines
}

// junit is the form that test reporters read.
type junit struct {
	XMLName xml.Name `xml:"testsuites"`
	Suite   struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Cases    []junitCase `xml:"testcase"`
	} `xml:"testsuite"`
}

type junitCase struct {
	Class    string         `xml:"classname,attr"`
	Name     string         `xml:"name,attr"`
	Failures []junitFailure `xml:"failure"`
	Out      string         `xml:"system-out,omitempty"`
}

type junitFailure struct {
	Type    string `xml:"type,attr"`
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// FindingsJUnit writes findings as JUnit XML: a case for every tool and one for the
// listing. A finding of least or stronger fails its case; weaker ones are its output.
func FindingsJUnit(found []lint.Finding, l *surface.Listing, least lint.Severity) ([]byte, error) {
	var out junit
	s := &out.Suite
	s.Name = "countersign lint"
	s.Cases = []junitCase{{Class: "listing", Name: "listing"}}
	for i, t := range l.Tools {
		name := ShortLine(t.Name)
		if name == "" {
			name = fmt.Sprintf("tool %d", i+1)
		}
		s.Cases = append(s.Cases, junitCase{Class: "tool", Name: name})
	}
	for _, f := range found {
		c := &s.Cases[0]
		if f.Position > 0 && f.Position < len(s.Cases) {
			c = &s.Cases[f.Position]
		}
		if f.Waiver == nil && f.Severity.Rank() >= least.Rank() {
			c.Failures = append(c.Failures, junitFailure{f.Rule, Line(f.Message), ShortLine(f.Pointer) + "\nFix: " + Line(f.Fix)})
			s.Failures++
			continue
		}
		c.Out += string(f.Severity) + " " + f.Rule + ": " + Line(f.Message) + "\n"
	}
	s.Tests = len(s.Cases)
	b, err := xml.MarshalIndent(out, "", " ")
	if err != nil {
		return nil, fmt.Errorf("write JUnit: %w", err)
	}
	return append([]byte(xml.Header), append(b, '\n')...), nil
}
