package change

func decide(r *Report) []Decision {
	var out []Decision
	for _, e := range r.Edits {
		out = append(out, Decision{Class: e.Class, Sentence: e.Sentence, Edits: []string{e.Edit}, Tools: e.Tools, Changes: e.Changes})
	}
	return out
}
