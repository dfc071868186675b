package report

import (
	"fmt"

	"github.com/countersign/countersign/review/surface"
)

type inspectJSON struct {
	Shape           surface.Shape `json:"shape"`
	Kind            surface.Kind  `json:"kind"`
	Complete        bool          `json:"complete"`
	Digest          surface.Hash  `json:"digest"`
	ProtocolVersion *text         `json:"protocol_version"`
	Instructions    *text         `json:"instructions"`
	Tools           []toolJSON    `json:"tools"`
	Problems        []problemJSON `json:"problems"`
}

type toolJSON struct {
	Position int          `json:"position"`
	Name     text         `json:"name"`
	Digest   surface.Hash `json:"digest"`
	Family   *text        `json:"family"`
}

// problemJSON writes every field, so that a reader need not ask which are there.
type problemJSON struct {
	Code     string        `json:"code"`
	Level    surface.Level `json:"level"`
	Tool     *text         `json:"tool"`
	Position *int          `json:"position"`
	Pointer  text          `json:"pointer"`
	Line     int           `json:"line,omitempty"`
	Column   int           `json:"column,omitempty"`
	Message  text          `json:"message"`
}

// Inspect writes what a listing holds, on one line.
func Inspect(l *surface.Listing) ([]byte, error) {
	in := surface.Inspect(l)
	f := inspectJSON{
		Shape: in.Shape, Kind: in.Kind, Complete: in.Complete, Digest: in.Digest,
		ProtocolVersion: textPtr(in.ProtocolVersion), Instructions: textPtr(in.Instructions),
		Tools: each(in.Tools, toolForm), Problems: each(in.Problems, problemForm),
	}
	b, err := encode(f)
	if err != nil {
		return nil, fmt.Errorf("write listing: %w", err)
	}
	return b, nil
}

func toolForm(t surface.InspectedTool) toolJSON {
	return toolJSON{t.Position, text(t.Name), t.Digest, textPtr(t.Family)}
}

func problemForm(p surface.Problem) problemJSON {
	f := problemJSON{
		Code: p.Code, Level: p.Level, Pointer: text(p.Pointer), Line: p.Line, Column: p.Column, Message: text(p.Message),
	}
	if p.Position > 0 {
		f.Position, f.Tool = &p.Position, (*text)(&p.Tool)
	}
	return f
}

type familiesJSON struct {
	Convention  surface.Convention `json:"convention"`
	Separator   text               `json:"separator"`
	HousePrefix *text              `json:"house_prefix"`
	Families    []familyJSON       `json:"families"`
	Objects     []objectJSON       `json:"objects"`
	Outliers    []outlierJSON      `json:"outliers"`
	Scattered   []scatteredJSON    `json:"scattered"`
}

type familyJSON struct {
	Name        text         `json:"name"`
	Tools       []text       `json:"tools"`
	Positions   []int        `json:"positions"`
	Subfamilies []familyJSON `json:"subfamilies"`
}

type objectJSON struct {
	Name      text   `json:"name"`
	Tools     []text `json:"tools"`
	Positions []int  `json:"positions"`
}

type outlierJSON struct {
	Tool          text         `json:"tool"`
	Position      int          `json:"position"`
	RelatedFamily text         `json:"related_family,omitempty"`
	Cost          surface.Cost `json:"cost"`
}

type scatteredJSON struct {
	Family    text  `json:"family"`
	Positions []int `json:"positions"`
}

// Families writes how the names of a listing group, on one line.
func Families(f surface.Families) ([]byte, error) {
	b, err := encode(familiesJSON{
		Convention: f.Convention, Separator: text(f.Separator), HousePrefix: textPtr(f.HousePrefix),
		Families: each(f.Families, familyForm), Objects: each(f.Objects, objectForm),
		Outliers: each(f.Outliers, outlierForm), Scattered: each(f.Scattered, scatteredForm),
	})
	if err != nil {
		return nil, fmt.Errorf("write families: %w", err)
	}
	return b, nil
}

func familyForm(f surface.Family) familyJSON {
	return familyJSON{text(f.Name), texts(f.Tools), each(f.Positions, same), each(f.Subfamilies, familyForm)}
}

func objectForm(o surface.Object) objectJSON {
	return objectJSON{text(o.Name), texts(o.Tools), each(o.Positions, same)}
}

func outlierForm(o surface.Outlier) outlierJSON {
	return outlierJSON{text(o.Tool), o.Position, text(o.RelatedFamily), o.Cost}
}

func scatteredForm(s surface.Scattered) scatteredJSON {
	return scatteredJSON{text(s.Family), each(s.Positions, same)}
}
