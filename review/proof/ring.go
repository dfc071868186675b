package proof

import (
	"encoding/json"
	"slices"
	"time"
)

// RotationType is the payload type of a statement of rotation.
const RotationType = "application/vnd.countersign.key-rotation+json"

// Instance names the program whose proofs these are: one database.
type Instance struct {
	ID  string `json:"id"`
	URL string `json:"url,omitempty"`
}

// Record is a signing key as an instance publishes it.
type Record struct {
	ID        string     `json:"id"`
	Algorithm string     `json:"algorithm"`
	PublicKey string     `json:"public_key"` // PEM
	Since     time.Time  `json:"since"`
	Until     *time.Time `json:"until"`    // null while it signs
	Rotation  *Envelope  `json:"rotation"` // how it followed the key before it; null of the first
}

// Ring is every key that an instance ever signed with, oldest first: what it
// serves under /.well-known/countersign/keys.json.
type Ring struct {
	Instance Instance `json:"instance"`
	Keys     []Record `json:"keys"`
}

// Rotation is the statement that one key takes over from another. Both sign it:
// the old one so that who pinned it follows, the new one so that who pins it can
// still check what is old. When the old key is lost only the new one signs.
type Rotation struct {
	Instance string    `json:"instance"`
	From     string    `json:"from"` // PEM
	To       string    `json:"to"`   // PEM
	At       time.Time `json:"at"`
	Lost     bool      `json:"lost"`
}

// Rotate signs a rotation to a new key; old is nil when it is lost.
func Rotate(instance string, from Key, old, to *Signer, at time.Time) (Envelope, error) {
	r := Rotation{Instance: instance, From: from.PEM(), To: to.Key().PEM(), At: at, Lost: old == nil}
	if old == nil {
		return signJSON(RotationType, r, to)
	}
	return signJSON(RotationType, r, old, to)
}

// Trusted is a key whose signatures count.
type Trusted struct {
	Key
	Until time.Time // what it signs later does not count; zero is no end
}

// tie is what a statement of rotation proves: which keys it names, and who signed.
type tie struct {
	from, to     Key
	byFrom, byTo bool
	at           time.Time
}

// Trusted returns the pinned keys and those that statements of rotation tie to
// them: the successor that a trusted key names, and the predecessor of a trusted
// key, whose signatures count up to the rotation. Statements of other instances
// tie nothing.
func (r Ring) Trusted(pins ...Key) []Trusted {
	trusted := make([]Trusted, len(pins))
	for i, k := range pins {
		trusted[i] = Trusted{Key: k}
	}
	ties := r.ties()
	for grew := true; grew; {
		grew = false
		for _, t := range ties {
			if t.byFrom && has(trusted, t.from.ID) && !has(trusted, t.to.ID) {
				trusted, grew = append(trusted, Trusted{Key: t.to}), true
			}
			if t.byTo && has(trusted, t.to.ID) && !has(trusted, t.from.ID) {
				trusted, grew = append(trusted, Trusted{Key: t.from, Until: t.at}), true
			}
		}
	}
	return trusted
}

func has(keys []Trusted, id string) bool {
	return slices.ContainsFunc(keys, func(t Trusted) bool { return t.ID == id })
}

// ties reads the statements that hold together; others are left out.
func (r Ring) ties() []tie {
	var ties []tie
	for _, k := range r.Keys {
		if k.Rotation == nil {
			continue
		}
		if t, ok := r.tie(*k.Rotation); ok {
			ties = append(ties, t)
		}
	}
	return ties
}

func (r Ring) tie(e Envelope) (tie, bool) {
	payload, err := e.Unchecked(RotationType)
	if err != nil {
		return tie{}, false
	}
	var said Rotation
	if json.Unmarshal(payload, &said) != nil || said.Instance != r.Instance.ID {
		return tie{}, false
	}
	from, errFrom := ParseKey([]byte(said.From))
	to, errTo := ParseKey([]byte(said.To))
	if errFrom != nil || errTo != nil {
		return tie{}, false
	}
	_, by, err := e.Open(RotationType, from, to)
	return tie{
		from: from, to: to, at: said.At,
		byFrom: slices.Contains(by, from.ID), byTo: slices.Contains(by, to.ID),
	}, err == nil
}
