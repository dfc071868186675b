package host

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// nameAll gives every item the name under which the model sees it.
func (r *renderer) nameAll() {
	items := r.sent()
	switch r.p.Names.Scheme {
	case "codex":
		r.nameCodex(items)
	case "copilot":
		r.nameCopilot(items)
	case "hashed":
		r.nameHashed(items)
	case "labelled":
		r.nameLabelled(items)
	case "when-taken":
		r.nameWhenTaken(items)
	default:
		for _, it := range items {
			it.name = r.p.Names.fit(r.p.Names.join(it.tool))
		}
		r.dropLongNames(items)
	}
	for _, it := range items {
		if plain := r.p.Names.fill(it.tool.server.name, it.tool.name); plain != it.fullName() && !it.gone {
			r.lose(it.tool, "/name", Renamed, "%s shows the model %s instead of %s.", r.p.Name, it.fullName(), plain).Rule = r.whyRenamed(it)
		}
	}
}

// whyRenamed tells a cut name from a cleaned one, and whose name was cleaned.
func (r *renderer) whyRenamed(it *item) Rule {
	n := r.p.Names
	if n.Scheme == "copilot" {
		n.Server = n.Tool // one cleaning for both
	}
	switch {
	case n.Limit > 0 && n.size(n.join(it.tool).clean) > n.Limit:
		return RuleNameLength
	case it.group != "" && it.group != namespace(n, it.tool.server.name):
		return RuleServerName
	case n.Tool.apply(it.tool.name) != it.tool.name:
		return RuleNameChars
	case n.Server.apply(it.tool.server.name) != it.tool.server.name:
		return RuleServerName
	}
	return RuleCollision
}

// fullName is the name with its namespace, if the host has them.
func (it *item) fullName() string { return flat(it.place()) }

func flat(place [2]string) string {
	if place[0] == "" {
		return place[1]
	}
	return place[0] + "__" + place[1]
}

// place is the name in its namespace. Two tools of one place are one to the model; those
// of two namespaces are two, also where their full names look alike.
func (it *item) place() [2]string { return [2]string{it.group, it.name} }

// dropLongNames drops, for a host that does, what is over the limit.
func (r *renderer) dropLongNames(items []*item) {
	for _, it := range items {
		if n := utf16Len(it.name); r.p.Names.Over == "drop" && n > r.p.Names.Limit {
			r.drop(it, "/name", Dropped, "%s silently leaves the tool out: its name has %d characters there, and %d are allowed.", r.p.Name, n, r.p.Names.Limit).Rule = RuleNameLength
		}
	}
}

// joined is a name before and after cleaning.
type joined struct{ raw, clean string }

func (n NameRules) join(t *tool) joined {
	return joined{
		raw:   n.fill(t.server.name, t.name),
		clean: n.fill(n.Server.apply(t.server.name), n.Tool.apply(t.name)),
	}
}

// fill joins the parts of a name, but for what would be said twice.
func (n NameRules) fill(server, tool string) string {
	switch n.Bare {
	case "tool":
		if server != "" && strings.HasPrefix(tool, server) {
			return tool
		}
	case "join":
		start := n.Form[:strings.IndexByte(n.Form+"{", '{')]
		if rest := fillIn(n.Form[len(start):], server, tool); strings.HasPrefix(rest, start) {
			return rest
		}
	}
	return fillIn(n.Form, server, tool)
}

// size is the length of a name as its limit counts it.
func (n NameRules) size(s string) int {
	if n.Unit == "bytes" {
		return len(s)
	}
	return utf16Len(s)
}

// head is the beginning of a name that fits the limit, in whole characters.
func (n NameRules) head(s string) string {
	if n.Unit != "bytes" {
		return cutUTF16(s, n.Limit)
	}
	if len(s) <= n.Limit {
		return s
	}
	at := n.Limit
	for at > 0 && !utf8.RuneStart(s[at]) {
		at--
	}
	return s[:at]
}

// fit makes a name as short as the host wants it.
func (n NameRules) fit(j joined) string {
	long := n.Limit > 0 && n.size(j.clean) > n.Limit
	switch n.Over {
	case "head":
		if long {
			return n.head(j.clean)
		}
	case "tail":
		if long {
			return tailUTF16(j.clean, n.Limit)
		}
	case "middle":
		if long {
			half := (n.Limit - 3) / 2
			return cutUTF16(j.clean, half) + "..." + tailUTF16(j.clean, half)
		}
	case "fnv":
		if long || j.raw != j.clean {
			return cutUTF16(j.clean, n.Limit-8) + "_" + fnv36(j.raw)
		}
	case "sha1":
		if long || j.raw != j.clean {
			return cutUTF16(j.clean, n.Limit-9) + "_" + sha1Hex(j.raw, 8)
		}
	}
	return j.clean
}

// fnv36 is the 32-bit FNV-1a hash over UTF-16 units, in base 36 with seven digits.
func fnv36(s string) string {
	h := uint32(2166136261)
	for _, u := range unitsUTF16(s) {
		h = (h ^ uint32(u)) * 16777619
	}
	return fmt.Sprintf("%07s", strconv.FormatUint(uint64(h), 36))
}

// unitsUTF16 returns the UTF-16 units of a text, lone surrogates included.
func unitsUTF16(s string) []uint16 {
	out := make([]uint16, 0, len(s))
	for len(s) > 0 {
		units, size := unitsOf(s)
		r, _ := utf8.DecodeRuneInString(s)
		switch {
		case units == 2:
			out = append(out, uint16(0xD800+(r-0x10000)>>10), uint16(0xDC00+(r-0x10000)&0x3FF))
		case size == 3 && r == utf8.RuneError && s[0] == 0xED:
			out = append(out, uint16(0xD000)|uint16(s[1]&0x3F)<<6|uint16(s[2]&0x3F))
		default:
			out = append(out, uint16(r))
		}
		s = s[size:]
	}
	return out
}

func sha1Hex(s string, digits int) string {
	sum := sha1.Sum([]byte(s))
	return hex.EncodeToString(sum[:])[:digits]
}

// apply cleans one part of a name.
func (c Clean) apply(s string) string {
	if c.Normal {
		s = visible(s)
	}
	if c.Lower {
		s = strings.ToLower(s)
	}
	if c.Space != "" {
		s = spaces.ReplaceAllLiteralString(s, c.Space)
	}
	if c.Keep != "" {
		s = c.replace(s)
	}
	if c.Single != "" {
		s = single(s, c.Single)
	}
	s = strings.Trim(s, c.Trim)
	if c.Cut > 0 {
		s = cutUTF16(s, c.Cut)
	}
	switch {
	case s == "":
		return c.Empty
	case !isLead(s[0]):
		return c.Lead + s
	}
	return s
}

// spaces are what a script calls white space.
var spaces = regexp.MustCompile(`[\s\v\p{Z}\x{FEFF}]+`)

// single makes one of every run of a character.
func single(s, char string) string {
	for strings.Contains(s, char+char) {
		s = strings.ReplaceAll(s, char+char, char)
	}
	return s
}

func isLead(c byte) bool { return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func (c Clean) replace(s string) string {
	keep := classOf(c.Keep)
	if !strings.ContainsFunc(s, func(r rune) bool { return !keep(r) }) {
		return s
	}
	var b strings.Builder
	run := false
	for len(s) > 0 {
		units, size := unitsOf(s)
		r, _ := utf8.DecodeRuneInString(s)
		switch {
		case keep(r):
			b.WriteString(s[:size])
			run = false
		case c.Per == "run" && run:
		case c.Per == "unit":
			b.WriteString(strings.Repeat(c.With, units))
		default:
			b.WriteString(c.With)
			run = true
		}
		s = s[size:]
	}
	return b.String()
}

// classOf reads the inside of a character class: characters, and ranges of the
// form a-z. A hyphen at the end stands for itself.
func classOf(class string) func(rune) bool {
	var in [utf8.RuneSelf]bool
	for i := 0; i < len(class); i++ {
		lo, hi := class[i], class[i]
		if i+2 < len(class) && class[i+1] == '-' {
			hi = class[i+2]
			i += 2
		}
		for c := int(lo); c <= int(hi) && c < len(in); c++ {
			in[c] = true
		}
	}
	return func(r rune) bool { return r >= 0 && r < utf8.RuneSelf && in[r] }
}

// nameCodex names tools in a namespace for each server. What collides, or is too
// long together with its namespace, gets a hash.
func (r *renderer) nameCodex(items []*item) {
	r.nameSpaces(items)
	taken := map[string]int{}
	seen := map[[3]string]bool{}
	for _, it := range items {
		key := [3]string{it.group, it.tool.server.name, it.tool.name}
		if seen[key] {
			r.drop(it, "/name", Dropped, "The name is listed twice, and %s keeps the first.", r.p.Name).Rule = RuleCollision
			continue
		}
		seen[key] = true
		it.name = r.p.Names.Tool.apply(it.tool.name)
		taken[it.group+"\x00"+it.name]++
	}
	for _, it := range items {
		room := r.p.Names.Limit - len(it.group) - len("__")
		if it.gone || taken[it.group+"\x00"+it.name] == 1 && len(it.name) <= room {
			continue
		}
		server, tool := it.tool.server.name, it.tool.name
		suffix := "_" + sha1Hex(strings.Join([]string{server, server, "", tool, tool}, "\x00"), 12)
		it.name = it.name[:max(0, min(len(it.name), room-len(suffix)))] + suffix
	}
}

// namespace is what Codex makes of the name of a server.
func namespace(n NameRules, server string) string {
	group := n.Server.apply(server)
	if strings.HasPrefix(server, "mcp__") {
		return group
	}
	return "mcp__" + group
}

// nameSpaces gives each item the namespace of its server.
func (r *renderer) nameSpaces(items []*item) {
	owners := map[string]map[string]bool{}
	for _, it := range items {
		it.group = namespace(r.p.Names, it.tool.server.name)
		if owners[it.group] == nil {
			owners[it.group] = map[string]bool{}
		}
		owners[it.group][it.tool.server.name] = true
	}
	for _, it := range items {
		if server := it.tool.server.name; len(owners[it.group]) > 1 {
			it.group += "_" + sha1Hex(server+"\x00"+server+"\x00", 12)
		}
	}
}

// nameCopilot cuts names to the limit and counts those that become equal, in byte
// order of what they were. Of names that are equal after cleaning the last one stays.
func (r *renderer) nameCopilot(items []*item) {
	sorted := slices.Clone(items)
	slices.SortStableFunc(sorted, func(a, b *item) int {
		if c := compareBytes(a.tool.server.name, b.tool.server.name); c != 0 {
			return c
		}
		return compareBytes(a.tool.name, b.tool.name)
	})
	last := map[string]*item{}
	for _, it := range sorted {
		it.name = r.p.Names.copilotPart(it.tool.server.name) + "-" + r.p.Names.copilotPart(it.tool.name)
		if other := last[it.name]; other != nil {
			r.drop(other, "/name", Dropped, "%s gives it the same name as %s of %s, which replaces it.", r.p.Name, it.tool.name, it.tool.server.name).Rule = RuleCollision
		}
		last[it.name] = it
	}
	used := map[string]bool{}
	for _, it := range sorted {
		if it.gone {
			continue
		}
		whole := it.name
		it.name = cutUTF16(whole, r.p.Names.Limit)
		for n := 2; used[it.name]; n++ {
			count := strconv.Itoa(n)
			it.name = cutUTF16(whole, r.p.Names.Limit-len(count)) + count
		}
		used[it.name] = true
	}
}

// longestName bounds what is looked at of a name where the work grows faster than
// its length. Every host cuts names far below it.
const longestName = 256

// copilotPart writes a part that is not ASCII as punycode, and then cleans it.
func (n NameRules) copilotPart(s string) string {
	if !isPrintable(s) {
		s = "xn--" + punycode(cutUTF16(s, longestName))
	}
	return n.Tool.apply(s)
}

// nameHashed names tools after their server and adds a hash to those that collide
// or are too long. The provider's library makes underscores of hyphens afterwards,
// so what collides is judged by that.
func (r *renderer) nameHashed(items []*item) {
	count := map[string]int{}
	for _, it := range items {
		it.base = r.p.Names.join(it.tool).clean
		count[underscored(it.base)]++
	}
	sorted := slices.Clone(items)
	for _, it := range sorted {
		it.name = r.p.Names.hashed(it.base, it.seed(), count[underscored(it.base)] > 1)
	}
	order := newCollator()
	slices.SortStableFunc(sorted, func(a, b *item) int {
		if c := order.compare(a.name, b.name); c != 0 {
			return c
		}
		return order.compare(a.seed(), b.seed())
	})
	used := map[string]int{}
	for _, it := range sorted {
		for used[underscored(it.name)] > 0 {
			n := used[underscored(it.name)]
			used[underscored(it.name)]++
			it.name = r.p.Names.hashed(it.base, it.seed()+"\x00"+strconv.Itoa(n), true)
		}
		it.name = underscored(it.name)
		used[it.name] = 1
	}
}

func underscored(s string) string { return strings.ReplaceAll(s, "-", "_") }

func (it *item) seed() string { return it.tool.server.name + "\x00" + it.tool.name }

func (n NameRules) hashed(name, seed string, always bool) string {
	if !always && utf16Len(name) <= n.Limit {
		return name
	}
	stem := strings.TrimRight(cutUTF16(name, n.Limit-9), "_-")
	if stem == "" {
		stem = "mcp"
	}
	return stem + "_" + sha1Hex(seed, 8)
}

// nameLabelled gives every server a short label, numbered when it is taken.
func (r *renderer) nameLabelled(items []*item) {
	labels := map[string]string{}
	used := map[string]bool{}
	for _, it := range items {
		server := it.tool.server.name
		if _, ok := labels[server]; !ok {
			label := r.p.Names.Server.apply(server)
			for n := 2; used[label]; n++ {
				label = r.p.Names.Server.apply(server) + strconv.Itoa(n)
			}
			used[label] = true
			labels[server] = label
		}
		name := fillIn(r.p.Names.Form, labels[server], r.p.Names.Tool.apply(it.tool.name))
		it.name = r.p.Names.fit(joined{clean: name})
	}
}

// nameWhenTaken puts the server in front only of names that are taken.
func (r *renderer) nameWhenTaken(items []*item) {
	count := map[string]int{}
	for _, it := range items {
		count[it.tool.name]++
	}
	for _, it := range items {
		it.name = r.p.Names.head(it.tool.name)
		if count[it.tool.name] > 1 {
			it.name = r.p.Names.head(it.tool.server.name + "_" + it.tool.name)
		}
	}
}

// resolveTwins decides who keeps a name that several tools have.
func (r *renderer) resolveTwins() {
	holder := map[[2]string]int{}
	for i, it := range r.items {
		if it.gone {
			continue
		}
		j, taken := holder[it.place()]
		if !taken {
			holder[it.place()] = i
			continue
		}
		first := r.items[j]
		switch r.p.Names.Twins {
		case "first":
			r.drop(it, "/name", Dropped, "%s gives it the same name as %s of %s, which came first: it is left out.", r.p.Name, first.tool.name, first.tool.server.name).Rule = RuleCollision
		case "last":
			r.drop(first, "/name", Dropped, "%s gives it the same name as %s of %s, which replaces it.", r.p.Name, it.tool.name, it.tool.server.name).Rule = RuleCollision
			r.items[i], r.items[j] = first, it // the later one takes the place
		case "run":
			r.out.Failed = fmt.Sprintf("%s stops: two tools are called %s", r.p.Name, it.name)
			r.drop(it, "/name", Refused, "%s.", r.out.Failed).Rule = RuleCollision
			r.failTogether()
			return
		}
	}
}

// punycode encodes a text as RFC 3492 does, without its prefix.
func punycode(s string) string {
	runes := []rune(s)
	var out []byte
	for _, r := range runes {
		if r < utf8.RuneSelf {
			out = append(out, byte(r))
		}
	}
	basic := len(out)
	if basic > 0 {
		out = append(out, '-')
	}
	n, delta, bias := rune(128), 0, 72
	for done := basic; done < len(runes); n++ {
		next := rune(unicode.MaxRune)
		for _, r := range runes {
			if r >= n {
				next = min(next, r)
			}
		}
		delta += int(next-n) * (done + 1)
		n = next
		for _, r := range runes {
			if r < n {
				delta++
			}
			if r == n {
				out = appendPunycode(out, delta, bias)
				bias = adaptPunycode(delta, done+1, done == basic)
				delta = 0
				done++
			}
		}
		delta++
	}
	return string(out)
}

// appendPunycode writes a delta as an integer of variable length.
func appendPunycode(out []byte, delta, bias int) []byte {
	const digits = "abcdefghijklmnopqrstuvwxyz0123456789"
	for k := 36; ; k += 36 {
		t := min(max(k-bias, 1), 26)
		if delta < t {
			return append(out, digits[delta])
		}
		out = append(out, digits[t+(delta-t)%(36-t)])
		delta = (delta - t) / (36 - t)
	}
}

func adaptPunycode(delta, points int, first bool) int {
	if first {
		delta /= 700
	} else {
		delta /= 2
	}
	delta += delta / points
	k := 0
	for ; delta > 455; k += 36 {
		delta /= 35
	}
	return k + 36*delta/(delta+38)
}
