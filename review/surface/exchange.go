package surface

import (
	"fmt"
)

// page is a part of an answer and where it stands.
type page struct {
	result value
	path   *path
}

// talk is what a list of JSON-RPC messages holds, sorted by what it says.
type talk struct {
	pages   []page
	openers []page // answers to initialize
	errors  []page
	others  []page // answers to something else
}

// isMessage reports whether v is a JSON-RPC message. Definitions may have fields of
// any name beside those of the protocol; what has a schema is a definition.
func isMessage(v value) bool {
	if v.has("jsonrpc") {
		return true
	}
	if v.has("inputSchema") {
		return false
	}
	return v.has("method") || v.field("error").is(kindObject) || v.has("id") && v.has("result")
}

// exchange reads messages, or bare results, in the order in which they were
// received. Messages that answer something else are passed over.
func (r *reader) exchange(messages []value, many bool) error {
	var t talk
	for i, m := range messages {
		var p *path
		if many {
			p = nth(nil, i)
		}
		if err := r.sortMessage(&t, m, p); err != nil {
			return err
		}
	}
	return r.follow(t)
}

// sortMessage puts one message where it belongs in t.
func (r *reader) sortMessage(t *talk, m value, p *path) error {
	result := m.field("result")
	switch {
	case !m.is(kindObject):
		return r.refuse(NotListing, m, p, "this entry is "+m.kind().String()+", neither a message nor a page of tools. Remove it and push again.")
	case m.has("tools") && m.has("result"):
		return r.refuse(NotListing, m.field("tools"), at(p, "tools"), twoLists)
	case m.has("error") && !m.field("error").null():
		t.errors = append(t.errors, page{m.field("error"), at(p, "error")})
	case m.has("method"): // a request or a notification
	case result.field("tools").present():
		t.pages = append(t.pages, page{result, at(p, "result")})
	case m.has("tools"):
		t.pages = append(t.pages, page{m, p})
	case isOpener(result):
		t.openers = append(t.openers, page{result, at(p, "result")})
	case result.is(kindObject):
		t.others = append(t.others, page{result, at(p, "result")})
	case m.has("result"):
		return r.refuse(NotListing, result, at(p, "result"), notAResult(result))
	default:
		return r.refuse(NotListing, m, p, guess(m))
	}
	return nil
}

// isOpener reports whether a result opens a session: the answer to initialize, or
// to server/discover.
func isOpener(result value) bool {
	return result.field("capabilities").is(kindObject) && !result.has("tools")
}

// notAResult explains a result that holds no tools.
func notAResult(v value) string {
	switch {
	case v.is(kindArray):
		return "`result` is an array; tools/list answers with an object that has `tools`. Fix the server, or push the array alone if it holds the definitions."
	case !v.is(kindObject):
		return "`result` is " + v.kind().String() + "; tools/list answers with an object that has `tools`."
	case isOpener(v):
		return "this is the answer to initialize, which lists no tools. Push the answer to tools/list, alone or beside it in an array."
	}
	return "`result` has no `tools`: this answers another request. Push the answer of tools/list."
}

// follow reads what the messages of one exchange say together.
func (r *reader) follow(t talk) error {
	switch {
	case len(t.errors) > 0:
		return r.serverError(t.errors[0])
	case len(t.openers) > 1:
		return r.refuse(NotListing, t.openers[1].result, t.openers[1].path, "this holds several sessions: more than one answer to initialize. Push one session's answers.")
	case len(t.pages) == 0 && len(t.openers)+len(t.others) > 0:
		answer := append(t.openers, t.others...)[0]
		return r.refuse(NotListing, answer.result, answer.path, notAResult(answer.result))
	case len(t.pages) == 0:
		return r.refuse(NotListing, value{}, nil, "these are requests or notifications, and no answer to tools/list (a `result` with `tools`). Push what the server sent back.")
	}
	for _, o := range t.openers {
		r.listing.Instructions.Asked = true
		r.context(o.result)
	}
	return r.pages(t.pages)
}

// serverError refuses a JSON-RPC error with the server's own words.
func (r *reader) serverError(p page) error {
	e := p.result
	message := e.field("message").text()
	if message == "" {
		message = "no message"
	}
	if code := e.field("code"); code.is(kindNumber) {
		message = fmt.Sprintf("%s (code %s)", shortenTo(message, 300), shorten(string(code.raw())))
	}
	return r.refuse(NotListing, e, p.path, "the server answered with an error, not with tools: "+message+". Nothing was taken as removed. Fix the call and push its answer.")
}

// pages joins the pages of one listing. A page is followed by another only if it
// says so: two answers that know nothing of each other are two listings, and
// taking them for one would let either hide the other.
func (r *reader) pages(pages []page) error {
	if limit := r.opt.Limits.Pages; len(pages) > limit {
		return r.refuse(TooLarge, pages[limit].result, pages[limit].path, fmt.Sprintf("more than %d pages. Ask the operator to raise the limit.", limit))
	}
	seen := map[string]bool{}
	for i, p := range pages {
		if err := r.addTools(p.result.field("tools"), at(p.path, "tools")); err != nil {
			return err
		}
		r.meta(p.result)
		cursor := p.result.field("nextCursor")
		key := string(cursor.raw())
		last := i == len(pages)-1
		switch {
		case cursor.null():
			if !last {
				return r.refuse(NotListing, pages[i+1].result, pages[i+1].path, "several answers to tools/list that don't belong together: the one before has no `nextCursor`, so it is a whole listing. Push one.")
			}
		case seen[key]:
			r.incomplete(cursor, p, "the server gave the same cursor twice, so its pages run in a circle; what follows was not read. Fix the paging and push the whole listing.")
			r.resultType(p)
			return nil
		case last:
			r.incomplete(cursor, p, "there is another page (`nextCursor`) and it never arrived. Nothing missing here counts as removed. Push the whole listing: `countersign pull` follows pages.")
		}
		seen[key] = true
		r.resultType(p)
	}
	return nil
}

func (r *reader) incomplete(v value, p page, message string) {
	r.partial = true
	r.found.add(subject{}, v, at(p.path, "nextCursor"), "page-incomplete", LevelWarning, message)
}

// resultType notes a result that says of itself that it isn't the whole answer.
func (r *reader) resultType(p page) {
	t := p.result.field("resultType")
	if t.null() || t.text() == "complete" {
		return
	}
	r.partial = true
	r.found.add(subject{}, t, at(p.path, "resultType"), "page-incomplete", LevelWarning,
		"the server calls this result `"+shorten(t.text())+"`, not complete. Push the listing once it is.")
}
