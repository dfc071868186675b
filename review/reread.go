package review

import (
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/countersign/countersign/review/change"
	"github.com/countersign/countersign/review/report"
)

// readBytes is how much of each kind of kept report is held as it was read: that of the
// releases which people are looking at.
const readBytes = 8 << 20

// reread holds what was read from kept reports, by the bytes that it was read from, so
// that a text that was purged is never shown from memory. A page is looked at again and
// again, and reading the JSON is a third of what one takes.
type reread struct {
	findings *recent[sum, []Finding]
	reports  *recent[sum, *change.Report]
	outlines *recent[sum, *outline]
	marks    *recent[sum, marks]
	families *recent[sum, map[string]string]
}

type sum = [sha256.Size]byte

func newReread() *reread {
	return &reread{
		findings: newRecent[sum, []Finding](readBytes),
		reports:  newRecent[sum, *change.Report](readBytes),
		outlines: newRecent[sum, *outline](readBytes),
		marks:    newRecent[sum, marks](readBytes),
		families: newRecent[sum, map[string]string](readBytes),
	}
}

// once returns what read makes of a body, which is shared by all who ask: nobody may
// change it.
func once[V any](r *recent[sum, V], body []byte, read func([]byte) (V, error)) (V, error) {
	key := sha256.Sum256(body)
	if v, ok := r.get(key); ok {
		return v, nil
	}
	v, err := read(body)
	if err == nil {
		r.put(key, v, len(body))
	}
	return v, err
}

// report is fullReport, shared.
func (r *reread) report(ctx context.Context, tx Tx, p pair) (*change.Report, error) {
	body, err := keptReport(ctx, tx, p, p.key(reportChange))
	if err != nil {
		return nil, err
	}
	return once(r.reports, body, report.ParseDiff)
}

// outline is parseOutline, shared.
func (r *reread) outline(body []byte) (*outline, error) { return once(r.outlines, body, parseOutline) }

// mark is parseMarks, shared.
func (r *reread) mark(body []byte) (marks, error) { return once(r.marks, body, parseMarks) }

// FamilyOf tells of the names of a listing of the server which family each is in. It is
// shared by all who ask: nobody may change it.
func (s *Service) FamilyOf(srv *Server, names []string) map[string]string {
	body := fmt.Appendf(nil, "%q %q", names, srv.Policy.Patterns())
	of, _ := once(s.reread.families, body, func([]byte) (map[string]string, error) {
		of := make(map[string]string, len(names))
		for _, f := range srv.Families(names).Families {
			for _, t := range f.Tools {
				of[t] = f.Name
			}
		}
		return of, nil
	})
	return of
}
