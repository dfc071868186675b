package lint

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// paramRules read each parameter: does the schema, with what is said about it, leave one
// way to fill it?
func (v *view) paramRules() {
	about := v.description()
	for _, p := range v.params {
		v.paramText(p)
		v.paramUnits(p, about)
		v.paramIdentity(p, about)
		v.paramChoices(p, about)
		v.paramDefault(p, about)
		v.paramBounds(p)
		v.paramFlags(p, about)
	}
	v.wholeCall()
}

// generic names say nothing about what goes in.
var generic = setOf("data input args arg value values params param payload options opts config body obj object item items content query q id name type key")

func (v *view) paramText(p *param) {
	if strings.TrimSpace(p.desc) != "" {
		v.paramTautology(p)
		return
	}
	if p.schema.has("$ref") || p.schema.has("const") || glossedBy(p, v.description()) {
		return
	}
	sev := Warn
	if !p.is("string") && !p.is("object") && !p.is("array") && len(p.types) > 0 && !generic[lower(p.name)] {
		sev = Info
	}
	if p.depth > 0 {
		sev = Info
	}
	v.found("param.no-description", sev, p.schema, fmt.Sprintf("%q has no description.", short(p.name, 80)))
}

// glossedBy reports whether the tool's own text explains the parameter, as docstrings
// do: `name`: …, or name (string): ….
func glossedBy(p *param, about string) bool {
	name := lower(p.name)
	if len(name) < 3 {
		return false
	}
	for _, form := range []string{"`" + name + "`", "\n- " + name + ":", "\n" + name + ":", name + " (", "'" + name + "'", "* " + name, "- **" + name} {
		if strings.Contains(about, form) {
			return true
		}
	}
	return false
}

func (v *view) paramTautology(p *param) {
	if len(p.desc) > 60 || p.values() != nil {
		return
	}
	said, more := 0, false
	eachContentWord(p.low().s, func(w string) bool {
		said++
		more = !stemIn(p.words, w) && !stemIn(v.words, w)
		return !more
	})
	if more || said == 0 || said > 5 {
		return
	}
	v.found("param.tautology", Info, p.schema, fmt.Sprintf("The description of %q only repeats its name: %s", short(p.name, 80), quote(p.desc)))
}

// sameStart reports whether two words can have one stem, which never cuts the first three
// letters.
func sameStart(a, b string) bool {
	return len(a) >= 3 && len(b) >= 3 && a[0] == b[0] && a[1] == b[1] && a[2] == b[2]
}

func stemIn(words []string, stemmed string) bool {
	for _, w := range words {
		if w == stemmed || sameStart(w, stemmed) && stem(w) == stemmed {
			return true
		}
	}
	return false
}

var (
	timeNames  = setOf("wait sleep pause date time since until timestamp duration timeout ttl deadline expiry expires datetime delay interval start_time end_time start_date end_date")
	moneyNames = setOf("amount price cost total balance fee budget salary")
	sizeNames  = setOf("size length distance weight temperature rate percent percentage speed width height radius")
	timeSays   = []string{"iso", "rfc", "unix", "epoch", "second", "millisecond", "minute", "hour", "days", "yyyy", "hh:mm", "utc", "format", " ms", "(ms)", "e.g", "example", "2024", "2025", "2026", "2023", "relative", "duration like", "now", "timestamp in", "like '", "week", "month"}
	moneySays  = []string{"cent", "minor unit", "currency", "dollar", "euro", "usd", "eur", "gbp", "$", "€", "satoshi", "wei", "decimal", "token", "e.g", "example"}
	sizeSays   = []string{"byte", "pixel", "px", "kb", "mb", "percent", "0-1", "0 to 1", "meter", "metre", "km", "mile", "inch", "cm", "mm", "gram", "kg", "degree", "celsius", "fahrenheit", "second", "minute", "character", "point", "unit", "e.g", "example", "items", "number of", "count", "ratio", "between", "scale", "per ", "em"}
)

// unitWords end names that carry their unit.
var unitWords = setOf("ms millis sec secs seconds minutes min mins hours days weeks cents usd eur bytes kb mb px pct seconds_ago unix iso epoch")

// paramUnits finds numbers and times that a model can only guess the unit of.
func (v *view) paramUnits(p *param, about string) {
	if p.schema.has("format") || p.schema.has("pattern") || p.values() != nil || p.schema.has("examples") || p.is("boolean") || p.is("object") || p.is("array") {
		return
	}
	last := ""
	if len(p.words) > 0 {
		last = p.words[len(p.words)-1]
	}
	unitInName := unitWords[last]
	moment := len(p.words) > 1 && (last == "at" || (last == "after" || last == "before") && strings.HasSuffix(p.words[len(p.words)-2], "ed"))
	if !timeNames[last] && !moneyNames[last] && !sizeNames[last] && !moment {
		return
	}
	said := p.low().s + " " + sentencesAbout(about, lower(p.name))
	switch {
	case unitInName:
	case (timeNames[last] || moment) && !hasAny(said, timeSays...):
		v.found("param.ambiguous-time", nested(p, Warn), p.schema, fmt.Sprintf("%q is a time, and nothing says in which unit or format.", short(p.name, 80)))
	case moneyNames[last] && (p.is("number") || p.is("integer") || p.is("string") && (last == "amount" || last == "price")) && last != "total" && !hasAny(said, moneySays...):
		v.found("param.ambiguous-money", nested(p, Warn), p.schema, fmt.Sprintf("%q is an amount, and nothing says in which unit: cents or whole ones, and of what.", short(p.name, 80)))
	case sizeNames[last] && (p.is("number") || p.is("integer")) && !hasAny(said, sizeSays...):
		v.found("param.ambiguous-quantity", Info, p.schema, fmt.Sprintf("%q has no unit.", short(p.name, 80)))
	}
}

// sentencesAbout is what a text says near a name, "" when it does not name it.
func sentencesAbout(s, name string) string {
	i := strings.Index(s, name)
	if i < 0 || len(name) < 3 {
		return ""
	}
	return s[max(0, i-80):min(len(s), i+len(name)+160)]
}

// pickNames end names of what picks the thing to act on.
var pickNames = setOf("name path branch key table file filename url index resource target")

// globNames end names where a pattern is a plausible guess.
var globNames = setOf("branch path file filename table key")

// paramIdentity looks at identifiers: which form, and one thing or many?
func (v *view) paramIdentity(p *param, about string) {
	last := ""
	if len(p.words) > 0 {
		last = p.words[len(p.words)-1]
	}
	isID := last == "id" || last == "uuid" || last == "slug"
	said := p.low()
	told := p.schema.has("pattern") || p.schema.has("format") || p.schema.has("examples") || p.schema.has("example") || p.values() != nil ||
		said.has("e.g", "example", "like ", "such as", "format", "from ", "returned", "uuid", "cuid", "found in", "obtain", "exact", "never a", "numeric", "hash", "sha", "get it", "use ")
	if isID && p.is("string") && !told && p.depth == 0 && !atLeastWords(said.s, 4) {
		v.found("param.id-no-format", Info, p.schema, fmt.Sprintf("Nothing says what %q looks like, or where to get it.", short(p.name, 80)))
	}
	if !v.destroysSomething() || !p.isOnly("string") || p.depth > 0 || p.schema.has("pattern") || p.schema.has("format") || p.values() != nil {
		return
	}
	if (isID || pickNames[last]) && !said.has("exact", "never a", "not a pattern", "glob", "pattern", "wildcard", "full", "absolute", "uuid", "unique") {
		sev := Info
		if !isID && last != "url" && globNames[last] && said.s == "" {
			sev = Warn
		}
		v.found("param.exact-vs-pattern", sev, p.schema, fmt.Sprintf("%q destroys what %q names, and nothing says that it is one exact name and never a pattern.", short(v.name, 80), short(p.name, 80)))
	}
}

// paramChoices looks at closed sets: in the schema, in prose, or nowhere.
func (v *view) paramChoices(p *param, about string) {
	vals := p.values()
	if len(vals) == 0 {
		v.choicesInProse(p)
		return
	}
	v.enumQuality(p)
	v.opaqueEnum(p, vals, about)
}

// choicesInProse finds "one of a, b, c" and "a|b|c".
func (v *view) choicesInProse(p *param) {
	if !p.is("string") || p.desc == "" || p.schema.has("pattern") || p.schema.has("examples") {
		if p.isOnly("string") && p.desc == "" {
			v.enumLikeName(p)
		}
		return
	}
	if list := closedSet(p.low()); list != "" && !p.low().has("e.g", "such as", "for example", "and others", "etc", "or any", "or a ", "or an ", "custom", "like ", "...", "comma", "separated", "or other", "including", "regex", "depending", "i.e") {
		v.found("param.enum-in-prose", Warn, p.schema, fmt.Sprintf("The text of %q lists a closed set (%s), which an enum would enforce.", short(p.name, 80), short(list, 80)))
		return
	}
	v.enumLikeName(p)
}

// closedSet returns the list that a folded text says is all there is.
func closedSet(h hay) string {
	s := h.s
	for _, intro := range []string{"one of ", "one of: ", "must be one of", "either ", "possible values: ", "possible values are ", "allowed values: ", "valid values: ", "valid options: ", "options: ", "accepted values: ", "values: "} {
		i := h.index(intro)
		if i < 0 {
			continue
		}
		rest := s[i+len(intro):]
		if end := strings.IndexAny(rest, ".;\n)"); end >= 0 {
			rest = rest[:end]
		}
		if n := listedValues(rest); n >= 2 && (intro != "either " || strings.Contains(rest, " or ")) {
			return strings.TrimSpace(rest)
		}
	}
	if list := weakSet(h); list != "" {
		return list
	}
	if list := labelled(s); list != "" {
		return list
	}
	if strings.IndexByte(s, '|') >= 0 {
		for _, w := range strings.Fields(s) {
			w = strings.Trim(w, "()`'\".,;")
			if parts := strings.Split(w, "|"); len(parts) >= 2 && allWords(parts) && !hasAny(s, "delimit", "separat", "format") {
				return w
			}
		}
	}
	return quotedList(s)
}

// labelled finds a list behind a label: "brightness: dim, half or full", "allowed:
// dim/half/full", and one between bars: "(dim | half | full)".
func labelled(s string) string {
	if i := strings.Index(s, ": "); i > 0 {
		rest, _, _ := strings.Cut(s[i+2:], ".")
		rest = strings.Trim(rest, " ()")
		label := s[strings.LastIndexAny(s[:i], ".;(\n")+1 : i]
		switch n := listedValues(rest); {
		case n < 3, strings.Contains(label, "example"):
		case strings.Contains(rest, " or "), hasAny(label, "allowed", "valid", "options", "choices", "values", "one of"):
			return rest
		}
	}
	if strings.Count(s, " | ") >= 2 {
		for part := range strings.FieldsFuncSeq(s, func(r rune) bool { return strings.ContainsRune("().;:\n", r) }) {
			if strings.Count(part, " | ") >= 2 && listedValues(part) >= 3 {
				return strings.TrimSpace(part)
			}
		}
	}
	return ""
}

// weakSet finds a list that is closed only by how it is said: "can be open, closed or
// all", "'asc' or 'desc'", "valid modes are fast and slow".
func weakSet(h hay) string {
	s := h.s
	if !h.has(" or ", " and ", "accepts ") {
		return "" // nothing closes a list
	}
	for _, intro := range []string{"must be ", "can be ", "may be ", "is ", "are ", "accepts ", ""} {
		i := h.index(intro)
		if i < 0 || intro == "are " && !hasAny(s[:i], "valid", "allowed", "possible", "supported", "accepted") || intro == "is " && !hasAny(s[:i], "value") {
			continue
		}
		rest := s[i+len(intro):]
		if end := strings.IndexAny(rest, ".;\n()"); end >= 0 {
			rest = rest[:end]
		}
		closed := strings.Contains(rest, " or ") || strings.Contains(rest, " and ") && intro != ""
		if !closed && intro != "accepts " {
			continue
		}
		n, quoted := listedValues(rest), strings.Count(rest, "'")+strings.Count(rest, `"`)+strings.Count(rest, "`")
		if n >= 3 && closed || n >= 2 && quoted >= 2*n && (closed || intro == "accepts ") {
			return strings.TrimSpace(rest)
		}
	}
	return ""
}

var betweenValues = strings.NewReplacer(" or ", ",", " and ", ",", "|", ",", "/", ",")

// listedValues counts short items between commas, "or" and bars.
func listedValues(s string) int {
	s = betweenValues.Replace(s)
	n := 0
	for _, item := range strings.Split(s, ",") {
		item = strings.Trim(item, " `'\"()")
		if item == "" {
			continue
		}
		if !allWords([]string{item}) || fillers[item] && item != "all" && item != "new" && len(item) > 1 {
			return 0
		}
		n++
	}
	return n
}

func allWords(parts []string) bool {
	for _, p := range parts {
		if p == "" || len(p) > 20 || strings.Trim(p, "abcdefghijklmnopqrstuvwxyz0123456789_-") != "" {
			return false
		}
	}
	return true
}

// quotedList finds three or more quoted words in a row: 'a', 'b' or 'c'.
func quotedList(s string) string {
	for _, q := range []string{"'", `"`, "`"} {
		if strings.Count(s, q) < 6 { // three words in quotes
			continue
		}
		parts := strings.Split(s, q)
		run, start := 0, 0
		for i := 1; i+1 < len(parts); i += 2 {
			sep := strings.Trim(parts[i-1], " ")
			if run == 0 || sep == "," || sep == "or" || sep == ", or" || sep == "/" || sep == "|" {
				if run == 0 {
					start = i
				}
				run++
			} else {
				run, start = 1, i
			}
			if !allWords(parts[i : i+1]) {
				run = 0
			}
			if run >= 3 {
				return strings.Join(parts[start:i+1], " ")
			}
		}
	}
	return ""
}

var choiceNames = setOf("status state type mode kind format order sort priority level severity direction category visibility")

func (v *view) enumLikeName(p *param) {
	last := ""
	if len(p.words) > 0 {
		last = p.words[len(p.words)-1]
	}
	if !choiceNames[last] || !p.isOnly("string") || p.schema.has("examples") || p.schema.has("pattern") || p.schema.has("default") || p.depth > 0 {
		return
	}
	if hasAny(p.low().s, "mime", "free", "any ", "e.g", "example", "such as", "custom", "see ", "get ") || atLeastWords(p.desc, 13) {
		return
	}
	v.found("param.enum-like-name", Info, p.schema, fmt.Sprintf("%q sounds like a choice, and nothing says between what.", short(p.name, 80)))
}

func (v *view) enumQuality(p *param) {
	e := p.schema.get("enum")
	if !e.is('[') {
		return
	}
	seen, folded := map[string]bool{}, map[string]string{}
	if mixedKinds(e.kids) {
		v.found("schema.enum-quality", Warn, e, fmt.Sprintf("The values of %q are of several types.", short(p.name, 80)))
		return
	}
	for _, k := range e.kids {
		raw := valueOf(k) + string(rune(k.kind))
		switch low := lower(k.str); {
		case seen[raw]:
			v.found("schema.enum-quality", Warn, e, fmt.Sprintf("%q stands twice among the values of %q.", short(k.literal(), 40), short(p.name, 80)))
			return
		case k.kind == '"' && k.str == "" && len(e.kids) > 1 && p.desc == "":
			v.found("schema.enum-quality", Warn, e, fmt.Sprintf("The values of %q hold an empty text that nothing explains.", short(p.name, 80)))
			return
		case k.kind == '"' && folded[low] != "" && folded[low] != k.str:
			v.found("schema.enum-quality", Warn, e, fmt.Sprintf("%q and %q differ only in case.", short(folded[low], 40), short(k.str, 40)))
			return
		case k.kind == '"' && (low == "true" || low == "false") && len(e.kids) == 2:
			v.found("schema.enum-quality", Warn, e, fmt.Sprintf("%q takes true and false as texts; a boolean says that better.", short(p.name, 80)))
			return
		default:
			seen[raw] = true
			if k.kind == '"' {
				folded[low] = k.str
			}
		}
	}
}

// mixedKinds reports whether values are of two types, null left out.
func mixedKinds(vals []*node) bool {
	kinds := map[bool]bool{}
	for _, k := range vals {
		if !k.is('n') {
			kinds[k.kind == '"'] = true
		}
	}
	return len(kinds) > 1
}

// plainValues explain themselves to anybody who can read.
var plainValues = setOf(`asc desc json csv xml html markdown md text pdf yaml png jpeg jpg svg webp gif open closed all none any auto true false yes no on off left right up down top bottom center
	middle high medium low small large normal default active inactive enabled disabled public private internal read write admin user get post put patch delete head options create update list search
	day week month year hour minute second daily weekly monthly hourly name date created updated relevance ascending descending success failure failed error warning info debug pending running completed cancelled canceled
	draft published archived deleted new old start end first last before after file directory folder both light dark visible hidden critical urgent bug feature epic task story issue pull_request merged
	added removed modified unknown other full partial simple detailed summary verbose brief basic advanced raw markdown_v2 utf8 utf-8 base64 horizontal vertical row column line bar pie area scatter
	include exclude skip only ignore keep replace relations links fields north south east west true_false accept dismiss click double single string number integer boolean array object null date-time too_expensive not_using_it switching_provider approve reject comment request_changes`)

// opaqueEnum finds values that a model can't know the meaning of: one word that is
// plain English but no plain choice is a code of the house.
func (v *view) opaqueEnum(p *param, vals []*node, about string) {
	if len(vals) < 3 {
		return
	}
	said := p.low().s + "\n" + about
	opaque := 0
	sample := ""
	for _, k := range vals {
		if k.kind != '"' || k.str == "" {
			return
		}
		if isOpaque(k.str) && !strings.Contains(said, lower(k.str)) {
			if opaque++; sample == "" {
				sample = k.str
			}
		}
	}
	if opaque*2 < len(vals)+1 || opaque < 3 || !v.domainWords(p, vals) {
		return
	}
	v.found("param.opaque-enum", Warn, p.schema, fmt.Sprintf("%d of %d values of %q are explained nowhere, such as %q.", opaque, len(vals), short(p.name, 80), short(sample, 40)))
}

func isOpaque(value string) bool {
	w := nameWords(value)
	if len(w) == 0 || plainValues[lower(value)] {
		return false
	}
	if len(w) > 1 || isNumber(value) {
		return false // several words explain themselves
	}
	if isUpper(value[0]) {
		end := value[len(value)-1]
		return len(value) <= 3 && (isUpper(end) || isDigit(end)) // a code; labels for people explain themselves
	}
	_, verb := verbOf(lower(value))
	return verb == ""
}

// well-known sets need no gloss: they are named by the parameter.
var selfNamed = setOf("currency country language locale lang timezone region color colour colors font icon method unit units encoding charset verb browser device theme weekday day month size shape style align alignment position marketplace element elements")

// abbreviated reports whether values are letters that make no word.
func abbreviated(vals []*node) bool {
	n := 0
	for _, k := range vals {
		if len(k.str) >= 2 && len(k.str) <= 5 && strings.Trim(lower(k.str), "bcdfghjklmnpqrstvwxz") == "" && !plainValues[lower(k.str)] {
			n++
		}
	}
	return n*2 > len(vals)
}

// domainWords reports whether values are the house's own words: no kinds of something
// that the parameter's name says.
func (v *view) domainWords(p *param, vals []*node) bool {
	for _, w := range p.words {
		if selfNamed[w] || selfNamed[strings.TrimSuffix(w, "s")] || choiceNames[w] && p.desc != "" && !abbreviated(vals) {
			return false
		}
	}
	return !atLeastWords(p.desc, 13)
}

// paramDefault asks what happens when an optional parameter is left out.
func (v *view) paramDefault(p *param, about string) {
	said := p.low().s
	def := p.schema.get("default")
	stated := statedDefault(said)
	inOwnWords := stated != ""
	if def == nil && stated == "" {
		stated = defaultIn(about, lower(p.name))
	}
	switch {
	case def != nil:
		v.defaultFits(p, def, stated)
		if p.required {
			v.found("param.required-with-default", Info, p.schema, fmt.Sprintf("%q is required and has a default, which is then never used.", short(p.name, 80)))
		}
	case stated != "":
		if p.desc != "" && inOwnWords {
			v.found("param.default-in-prose-only", Info, p.schema, fmt.Sprintf("The default of %q stands in the text alone: some hosts read the keyword.", short(p.name, 80)))
		}
	case !p.required && p.depth == 0 && !saysAbsence(said+" "+sentencesAbout(about, lower(p.name))):
		v.defaultUnstated(p)
	}
}

func (v *view) defaultUnstated(p *param) {
	counting := countWords.any(p.words)
	switch {
	case p.is("boolean"), p.values() != nil && choiceNames[lower(p.name)]:
		v.found("param.default-unstated", Info, p.schema, fmt.Sprintf("Nothing says what happens when %q is left out.", short(p.name, 80)))
	case (p.is("integer") || p.is("number")) && counting:
		v.found("param.default-unstated", Warn, p.schema, fmt.Sprintf("Nothing says which number stands for %q when it is left out.", short(p.name, 80)))
	}
}

// countWords are in the names of numbers that bound a result.
var countWords = setOf("limit page count max depth top num offset results size")

func saysAbsence(s string) bool {
	return hasAny(s, "default", "if omitted", "when omitted", "if not", "when not", "leave empty", "left out", "optional", "otherwise", "no filter", "all ", "unset", "if empty", "if absent", "only if", "if true", "when true", "whether", "filter", "omit", "set to", "if set", "absent", "automatically", "instead of")
}

// noDefaults follow the word default without being one.
var noDefaults = setOf("branch value values behavior behaviour branches project setting settings is the a calendar")

// statedDefault finds "Default 20", "defaults to 20", "(default: 20)", "fts (default)"
// in a folded text. It returns the value, "?" when only the word is there.
func statedDefault(s string) string {
	i := strings.Index(s, "default")
	for ; i >= 0; i = nextIndex(s, "default", i) {
		before := strings.TrimSpace(s[max(0, i-60):i])
		after := s[i+len("default"):]
		after = strings.TrimPrefix(after, "s")
		if strings.HasSuffix(before, "(") && strings.HasPrefix(after, ")") {
			if w := words(before); len(w) > 0 {
				return w[len(w)-1]
			}
		}
		after = strings.TrimLeft(after, " :=`'\"*")
		for _, lead := range []string{"to ", "value is ", "is ", "value: ", "value "} {
			after = strings.TrimPrefix(after, lead)
		}
		after = strings.TrimLeft(after, " :=`'\"*")
		end := strings.IndexAny(after, " ,;)`'\"\n*")
		if end < 0 {
			end = len(after)
		}
		if value := strings.TrimRight(after[:end], ".!?"); value != "" && !noDefaults[value] {
			if measured(after[end:]) {
				return "?"
			}
			return value
		}
	}
	if value := usedIfOmitted(s); value != "" {
		return value
	}
	if strings.Contains(s, "default") {
		return "?"
	}
	return ""
}

// measured reports whether what follows a number makes it another one: "1,000",
// "5 minutes".
func measured(rest string) bool {
	if len(rest) > 1 && rest[0] == ',' && isDigit(rest[1]) {
		return true
	}
	w := words(short(rest, 12))
	return len(w) > 0 && strings.HasPrefix(rest, " ") && unitNouns[w[0]]
}

var unitNouns = setOf("second seconds minute minutes hour hours day days week weeks month months year years ms kb mb gb kib mib percent k m million thousand dozen")

// usedIfOmitted finds "if omitted, 20 is used".
func usedIfOmitted(s string) string {
	for _, without := range []string{" if you leave it out", " if left out", " if omitted", " when omitted", " if not given", " unless given", " if unset"} {
		if i := strings.Index(s, without); i > 0 {
			before := s[strings.LastIndexAny(s[:i], " (,;:")+1 : i]
			if isNumber(before) {
				return before
			}
		}
	}
	_, after, ok := strings.Cut(s, "omitted, ")
	if !ok {
		return ""
	}
	value, rest, _ := strings.Cut(after, " ")
	if hasAny(short(rest, 16), "is used", "applies", "is assumed", "is taken", "are returned") && (isNumber(value) || strings.ContainsAny(value, "'\"`")) {
		return strings.Trim(value, "'\"`")
	}
	return ""
}

func nextIndex(s, part string, i int) int {
	j := strings.Index(s[i+len(part):], part)
	if j < 0 {
		return -1
	}
	return i + len(part) + j
}

// defaultIn finds "limit defaults to 20" in the tool's text.
func defaultIn(about, name string) string {
	i := strings.Index(about, name)
	if i < 0 || len(name) < 3 {
		return ""
	}
	near := about[i:min(len(about), i+len(name)+60)]
	if strings.Contains(near, "default") {
		return "?"
	}
	return ""
}

// defaultFits checks a default against its own schema and against the text.
func (v *view) defaultFits(p *param, def *node, stated string) {
	if why := misfit(p, def); why != "" {
		v.found("param.default-mismatch", High, def, fmt.Sprintf("The default of %q, %s, %s.", short(p.name, 80), short(def.literal(), 60), why))
		return
	}
	have := lower(def.literal())
	if isNumber(stated) && isNumber(have) && !sameNumber(stated, have) || (stated == "true" || stated == "false") && p.is("boolean") && (have == "true" || have == "false") && stated != have {
		v.found("param.default-mismatch", High, def, fmt.Sprintf("The text of %q says that the default is %s, the schema says %s.", short(p.name, 80), short(stated, 40), short(have, 40)))
	}
}

func sameNumber(a, b string) bool {
	x, err1 := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	return err1 == nil && err2 == nil && x == y
}

// misfit says why a value is not valid under the parameter's own keywords.
func misfit(p *param, def *node) string {
	if def.is('n') {
		return ""
	}
	if e := p.schema.get("enum"); e.is('[') {
		for _, k := range e.kids {
			if k.kind == def.kind && valueOf(k) == valueOf(def) {
				return ""
			}
		}
		return "is none of its values"
	}
	if t := p.schema.get("type"); t != nil && len(p.types) > 0 {
		fits := false
		for _, typ := range p.types {
			fits = fits || fitsType(typ, def)
		}
		if !fits {
			return "is no " + strings.Join(p.types, " or ")
		}
	}
	if def.is('"') {
		n := float64(utf8.RuneCountInString(def.str))
		if hi, ok := p.schema.get("maxLength").number(); ok && n > hi {
			return "is longer than maxLength"
		}
		if lo, ok := p.schema.get("minLength").number(); ok && n < lo {
			return "is shorter than minLength"
		}
		if pattern := p.schema.text("pattern"); pattern != "" && len(pattern) <= maxPattern {
			if re, err := regexp.Compile(pattern); err == nil && !re.MatchString(def.str) {
				return "does not match its pattern"
			}
		}
	}
	if n, ok := def.number(); ok {
		if lo, ok := p.schema.get("minimum").number(); ok && n < lo {
			return "is below its minimum"
		}
		if hi, ok := p.schema.get("maximum").number(); ok && n > hi {
			return "is above its maximum"
		}
	}
	return ""
}

// maxPattern is the longest pattern that a default is held against. They run in time
// linear in the text (RE2); what RE2 can't compile is left to package schema.
const maxPattern = 300

func fitsType(typ string, n *node) bool {
	switch typ {
	case "string":
		return n.kind == '"'
	case "boolean":
		return n.kind == 't' || n.kind == 'f'
	case "number":
		return n.kind == '0'
	case "integer":
		f, ok := n.number()
		return ok && f == float64(int64(f))
	case "array":
		return n.kind == '['
	case "object":
		return n.kind == '{'
	}
	return true
}

var textNames = setOf("body text content message comment description summary note notes markdown html prompt document")

// countNames are numbers of things.
var countNames = setOf("limit page offset count per_page page_size page_number max_results depth first top start_index")

// paramBounds looks for limits that are said and not enforced, and texts without any.
func (v *view) paramBounds(p *param) {
	h := p.low()
	s := h.s
	if (p.is("integer") || p.is("number")) && !p.schema.has("maximum") && !p.schema.has("exclusiveMaximum") && rangeSaid(h) {
		v.found("param.range-in-prose", Info, p.schema, fmt.Sprintf("The text of %q gives a range that the schema does not enforce.", short(p.name, 80)))
	}
	if p.is("array") && !p.schema.has("maxItems") && rangeSaid(h) || p.isOnly("string") && !p.schema.has("maxLength") && rangeSaid(h) && hasAny(s, "character", "chars", "bytes") {
		v.found("param.range-in-prose", Info, p.schema, fmt.Sprintf("The text of %q gives a bound that the schema does not enforce.", short(p.name, 80)))
	}
	last := ""
	if len(p.words) > 0 {
		last = p.words[len(p.words)-1]
	}
	digests := len(v.words) > 0 && strings.HasPrefix(v.words[0], "summari") && (stem(v.words[0]) == "summariz" || stem(v.words[0]) == "summaris")
	if p.isOnly("string") && textNames[last] && p.depth == 0 && (v.effect != reads || digests) && !p.schema.has("maxLength") && p.values() == nil && !hasAny(s, "character", "max", "limit", "long", "short", "length") {
		v.found("param.unbounded-text", Info, p.schema, fmt.Sprintf("%q takes a text of any length.", short(p.name, 80)))
	}
	if p.is("string") && p.depth == 0 && h.has("json object", "json string", "json array", "json-encoded", "stringified json", "comma-separated", "comma separated", "csv of", "csv list", "as csv", "csv string") && !hasAny(strings.Join(v.words, " "), "json", "csv") {
		v.found("param.structured-string", Info, p.schema, fmt.Sprintf("%q is a text that holds a structure, which the schema could name.", short(p.name, 80)))
	}
	if p.isOnly("number") && (countNames[strings.Join(p.words, "_")] || last == "id") {
		v.found("schema.number-for-count", Info, p.schema, fmt.Sprintf("%q counts something, and takes fractions.", short(p.name, 80)))
	}
}

// rangeSaid finds "1-100", "at most 50", "max 10", "up to 20".
func rangeSaid(h hay) bool {
	s := h.s
	for _, intro := range []string{"at most ", "max ", "max: ", "maximum ", "maximum: ", "up to ", "between ", "less than ", "no more than ", "not exceed "} {
		if i := h.index(intro); i >= 0 && i+len(intro) < len(s) && s[i+len(intro)] >= '0' && s[i+len(intro)] <= '9' {
			return true
		}
	}
	for i := 1; i+1 < len(s); i++ {
		if s[i] == '-' && isDigit(s[i-1]) && isDigit(s[i+1]) && (i < 5 || !isDigit(s[i-4])) && strings.Count(s, "-") == 1 {
			return true
		}
	}
	return false
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

var bypassNames = setOf("force override skip_checks skip_validation confirm yes bypass skip_confirmation no_confirm ignore_errors ignore_warnings unsafe skipvalidation skipchecks allow_unsafe dangerously force_push force_delete")

// paramFlags looks at flags that switch a guard off, and at open objects of tools that
// destroy, where a doubt goes to get lost.
func (v *view) paramFlags(p *param, about string) {
	if !p.is("boolean") || !bypassNames[strings.Join(p.words, "_")] && !switchesOff(p.words) || p.depth > 0 {
		return
	}
	said := p.low().s + " " + sentencesAbout(about, lower(p.name))
	if !saysMore(p) {
		said = sentencesAbout(about, lower(p.name)) // a text of the name's own words says nothing
	}
	if hasAny(said, "default", "do not", "don't", "never", "only ", "must be true", "required to", "unless", "careful", "without", "refus", "even if", "caution", "confirm") {
		return
	}
	sev := Warn
	if v.effect != writes && v.effect != destroys && !bypassNames[strings.Join(p.words, "_")] {
		sev = Info // what is read past a guard is read all the same
	}
	v.found("param.bypass-flag", sev, p.schema, fmt.Sprintf("%q switches a guard off, and nothing says when not to set it.", short(p.name, 80)))
}

// saysMore reports whether a description has a word that the name has not.
func saysMore(p *param) bool {
	for _, w := range contentWords(p.desc) {
		if !stemIn(p.words, w) {
			return true
		}
	}
	return false
}

// guardsOff are what a flag may switch off.
var guardsOff = setOf("check checks validation confirm confirmation verify verification review safety approval hooks warnings errors guard guards protection prompt prompts")

// switchesOff reports whether a name says that a guard is skipped.
func switchesOff(w []string) bool {
	if len(w) < 2 {
		return false
	}
	switch w[0] {
	case "dangerously", "bypass", "unsafe":
		return true
	case "skip", "ignore", "no", "disable", "without", "force":
		return guardsOff.any(w[1:])
	}
	return false
}

var blobNames = setOf("input args arguments data params payload")

// wholeCall finds a whole interface in one text.
func (v *view) wholeCall() {
	if len(v.params) == 1 && v.params[0].isOnly("string") && blobNames[lower(v.params[0].name)] {
		v.found("param.single-string-blob", Info, v.params[0].schema, fmt.Sprintf("One text, %q, is all that this tool takes: the schema says nothing about a call.", v.params[0].name))
	}
	if v.destroysSomething() && isOpen(v.input) && len(v.params) > 0 {
		for _, p := range v.params {
			if p.name == "reason" {
				return
			}
		}
		v.found("param.invites-reason", Info, v.input, fmt.Sprintf("%q destroys something and takes undeclared arguments: a model that has doubts writes them into a field that nobody reads.", short(v.name, 80)))
	}
}
