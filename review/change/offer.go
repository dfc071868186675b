package change

// Offer is a pairing that rests on too little to be assumed: a person confirms it
// or not.
type Offer struct {
	Kind       OfferKind     `json:"kind"`
	From       []OfferedTool `json:"from"`
	To         string        `json:"to"`
	Confidence float64       `json:"confidence"`
	Sentence   string        `json:"sentence"`
}

// OfferKind says what would have happened.
type OfferKind string

// The kinds of offers.
const (
	OfferRename        OfferKind = "rename"        // one tool got another name
	OfferConsolidation OfferKind = "consolidation" // several tools became one
)

// OfferedTool is an old tool of an [Offer], and how the new one may take its
// place.
type OfferedTool struct {
	Tool   string   `json:"tool"`
	Action string   `json:"action,omitempty"` // argument of the new tool, such as {"action":"list"}
	Lost   []string `json:"lost"`             // parameters that the new tool doesn't have
}

type renames struct{ offered []Offer }

func findRenames(p *pairing, opt Options, partial bool) renames { return renames{} }
