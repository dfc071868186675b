package prose

import (
	"slices"
	"strings"
	"unicode"
)

// SentenceClass says what a sentence of a description promises to its reader.
// The classes are found by rules, so the same sentence always has the same ones.
type SentenceClass string

// The sentence classes, strongest first.
const (
	Safety      SentenceClass = "safety"      // says what can be lost, undone, or is guarded
	Failure     SentenceClass = "failure"     // says how the tool fails, refuses or reports
	Instruction SentenceClass = "instruction" // tells the model what to do, when, or what not
	Default     SentenceClass = "default"     // says what happens when nothing is given
	Format      SentenceClass = "format"      // fixes a form, a unit, a limit
	Example     SentenceClass = "example"     // shows a value or a call
)

// Classify returns the classes of one sentence, strongest first; none for plain
// description. The rules know English well, and the plainest words of French,
// German, Spanish, Portuguese, Italian, Russian, Chinese and Japanese.
//
// A block of code and a line labelled "Example:" are examples and nothing else.
// Hidden characters and look-alike letters don't hide a word from the rules.
func Classify(sentence string) []SentenceClass {
	p := newPhrase(sentence)
	if p.isShown() {
		return []SentenceClass{Example}
	}
	var out []SentenceClass
	for _, rule := range classRules {
		if rule.holds(p) {
			out = append(out, rule.class)
		}
	}
	return out
}

// classRules are tried in order, which is the order of strength.
var classRules = []struct {
	class SentenceClass
	holds func(phrase) bool
}{
	{Safety, phrase.isSafety},
	{Failure, phrase.isFailure},
	{Instruction, phrase.isInstruction},
	{Default, phrase.isDefault},
	{Format, phrase.isFormat},
	{Example, phrase.isExample},
}

// phrase is a sentence prepared for rules.
type phrase struct {
	words []string // in lower case, contractions spelled out, marks of punctuation dropped
	raw   string   // in lower case
}

func newPhrase(sentence string) phrase {
	raw := strings.ToLower(strings.TrimSpace(Skeleton(sentence)))
	raw = strings.TrimSpace(raw[itemMark(raw):])
	p := phrase{raw: raw}
	for _, tok := range tokenise(raw, HiddenIn(raw)) {
		w := raw[tok.start:tok.end]
		if !isWord(w) {
			continue
		}
		p.words = append(p.words, expand(strings.Trim(w, "`"))...)
	}
	return p
}

// expand spells out contractions: "don't" is "do not".
func expand(w string) []string {
	w = strings.ReplaceAll(w, "’", "'")
	switch {
	case w == "dont":
		return []string{"do", "not"}
	case w == "cannot" || w == "can't":
		return []string{"can", "not"}
	case w == "won't":
		return []string{"will", "not"}
	case strings.HasSuffix(w, "n't"):
		return []string{strings.TrimSuffix(w, "n't"), "not"}
	}
	return []string{w}
}

// phrases is a list of phrases, each of whole words, by their first word.
type phrases map[string][][]string

// list reads phrases divided by commas.
func list(s string) phrases {
	out := phrases{}
	for _, x := range texts(s) {
		words := strings.Fields(x)
		out[words[0]] = append(out[words[0]], words)
	}
	return out
}

// texts reads texts divided by commas.
func texts(s string) []string {
	out := strings.Split(s, ",")
	for i := range out {
		out[i] = strings.TrimSpace(out[i])
	}
	return out
}

// has reports whether one of the phrases is in the sentence.
func (p phrase) has(ps phrases) bool {
	for i, w := range p.words {
		for _, x := range ps[w] {
			if len(x) <= len(p.words)-i && slices.Equal(x, p.words[i:i+len(x)]) {
				return true
			}
		}
	}
	return false
}

// holdsAny reports whether one of the texts is in the sentence as written: for
// punctuation, and for scripts without blanks.
func (p phrase) holdsAny(texts []string) bool {
	for _, x := range texts {
		if strings.Contains(p.raw, x) {
			return true
		}
	}
	return false
}

// starts reports whether the sentence starts with one of the words.
func (p phrase) starts(words []string) bool {
	if len(p.words) == 0 {
		return false
	}
	for _, w := range words {
		if p.words[0] == w {
			return true
		}
	}
	return false
}

// ownVerbs are what a tool can be called after. As the first word ("Restore a
// file") they promise nothing that its name does not.
var ownVerbs = texts("undo, restore, recover, redact, overwrite, backup, cascade")

// withoutOwnVerb is the sentence without the verb that says what the tool does.
func (p phrase) withoutOwnVerb() phrase {
	if p.starts(ownVerbs) {
		p.words = p.words[1:]
	}
	return p
}

var (
	safetyWords = list(`can not be undone, undone, undo, irreversible, irreversibly, reversible, permanent, permanently,
		destructive, non-destructive, nondestructive, recoverable, unrecoverable, immutable, recovered, be recovered, restored, read-only, readonly,
		does not modify, does not change, does not delete, does not write, does not alter, does not affect, does not remove, does not overwrite,
		does not mutate, without modifying, without changing, never modifies,
		never changes, never deletes, never writes, never follows, modifies nothing, changes nothing, no side effects, side effects,
		side effect, safe, safely, unsafe, dangerous, danger, caution, careful, data loss, is lost, are lost, be lost, overwrite,
		overwrites, overwritten, overwriting, protected, soft delete, hard delete, deletion is soft, deletion is hard, dry run,
		dry-run, idempotent, confirmation, sandbox, sandboxed, untrusted, sensitive, confidential, redact, redacted,
		symlink, symlinks, allowed directories, cascades, cascading, backup, trash, recycle bin, arbitrary code, remote code, rce, at your own risk,
		irréversible, définitivement, unwiderruflich, dauerhaft, irreversiblemente, permanentemente, irreversibile,
		необратимо, безвозвратно`)
	safetyTexts = texts(`warning:, **warning, ⚠, not reversible, 不可逆, 不可撤销, 无法撤销, 永久删除, 谨慎, 取り消せません, 元に戻せません`)

	failureWords = list(`fails with, fail silently, fails silently, throws, thrown, raises, rejected, rejects, refused, refuses, refusal,
		not found, no-op, noop, timeout error, times out, timed out, denied, forbidden, does not exist, do not exist, not exist, already exists,
		rate limited, rate limit, rate limits, returns null, returns none, returns nothing, null if, null when, none if, returns 0, returns empty, returns an empty,
		empty list, empty array, empty result, empty string, iserror, is_error, mutually exclusive, is invalid, are invalid, if invalid,
		returns false, an error, error if, error when, errors if, errors on, returns error, returns errors, error code, error response,
		échoue, erreur si, schlägt fehl, falla, falha, fallisce, ошибка, возвращает ошибку`)
	// limitWords say what does not work. In an order they are its reason.
	limitWords = list(`fails, will fail, may fail, can fail, fail if, fail when, fail on, unavailable, unsupported, can not, unable, not supported, not allowed,
		not available, ignored`)
	failureTexts = texts(`{ error, {error, {"error, { "error, 失败, 报错, 返回错误, エラーを返, 失敗`)
	errorWords   = list(`error, errors, failure, failures, exception, exceptions, 400, 401, 403, 404, 409, 422, 429, 500, 503`)
	errorCues    = list(`if, when, unless, instead, otherwise, silently, returns, returned, reported, naming`)
	errorTopics  = set("message", "messages", "log", "logs", "details", "tracking", "events", "rate", "rates", "groups")
	conditions   = texts(`if, when, after, once, because, since, unless`)

	mustWords = list(`do not, does not need, never, must, should, shall, always, only use, use only, only when, only if, only call, only for, only with, only works, works only, only relevant, only applicable, applies only, apply only, make sure, be sure, ensure,
		avoid, prefer, preferred, instead of, before calling, before using, before you, after calling, after using, after you, call this, call it, use this,
		use it, use when, use for, use only, not recommended, best for, recommended, discouraged, not for, need to, needs to, has to, have to, required,
		requires, require, mandatory, please, ask the user, confirm with, without asking, without being asked, tell the user, the user confirms,
		user explicitly, unless asked, not an input, intended for, ideal for, useful for, useful when, suitable for, when the user, when you, when asked, if you, if the user,
		you can, you may, pass, deprecated, not guess, not invent, not assume, beware, keep polling, at the end of your, n'utilisez, utilisez, ne jamais, toujours, doit,
		il faut, verwenden sie, niemals, immer, muss, nicht verwenden, use siempre, nunca, siempre, debe, sempre, deve, mai, всегда, никогда,
		должен, используйте, не используйте`)
	mustTexts = texts(`必须, 不要, 请, 应该, 禁止, 务必, 切勿, 仅当, してください, 必ず, 使用しないで`)
	orders    = texts(`use, pass, omit, prefer, avoid, ensure, specify, treat, remember, beware, never, always, don't, note`)
	orderWith = texts(`call, set, leave, choose, provide, include, add, check, run, poll, see, retry, supply, keep, combine, start, wait`)

	defaultWords = list(`defaults, defaulted, defaulting, by default, default is, default of, default to, default value, default values, is the default,
		are the default, default true, default false, default none, default null, if omitted, when omitted, omitted, omitting, unless specified, unless set, unless provided, unless given,
		not specified, not provided, if not set, when not set, is not set, are not set, not given, not supplied, unspecified, if unset, when unset, if empty, when empty,
		if absent, when absent, leave empty, left empty, leave blank, otherwise, falls back, fall back, falling back, fallback to, without arguments,
		no arguments, is assumed, par défaut, standardmäßig, por defecto, por omisión, por padrão, predefinito, по умолчанию`)
	defaultTexts = texts(`(default, default:, default =, default=, 默认, デフォルト, 既定`)

	formatWords = list(`format, formats, formatted, iso 8601, iso8601, iso-8601, rfc3339, rfc 3339, rfc-3339, utc, base64, must match,
		at most, at least, no more than, comma-separated, comma separated, newline-separated, space-separated, case-sensitive, case-insensitive, case sensitive, case insensitive, uuid, guid, regex, regexp,
		regular expression, starts with, starting with, begins with, ends with, prefixed, unix, epoch, timestamp, timestamps, glob, absolute path, relative path,
		absolute, relative to, in seconds, in milliseconds, in minutes, in hours, in days, in cents, in bytes, in pixels, characters, as json, json object, json string, json array, valid json,
		1-based, 0-based, zero-based, one-based, base64-encoded, url-encoded, one of, valid values, allowed values, accepted values, possible values, supported values, supported types,
		supported formats, inclusive, exclusive, sorted, ordered, in order, order of, paginated, per page, limited to, limit of, ranges from, wildcard, wildcards, pattern,
		yyyy-mm-dd, au format, im format, en formato, no formato, formato, в формате`)
	// boundWords fix a limit where they come with a number: "the maximum number of
	// rows" only says what a parameter is.
	boundWords  = list(`maximum, minimum, max, min`)
	numberWords = list(`one, two, three, four, five, six, seven, eight, nine, ten, hundred, thousand, million`)
	formatTexts = texts(`yyyy, 格式, 形式, 最大, 最多`)

	exampleWords = list(`e.g, e.g., eg, for example, for instance, example, examples, par exemple, zum beispiel, z.b, por ejemplo, por exemplo, per esempio, например`)
	exampleTexts = []string{"```", "~~~", "e.g.", "like '", "like \"", "like `", "例如", "例えば", "示例"}
)

func (p phrase) isSafety() bool {
	return p.withoutOwnVerb().has(safetyWords) || p.holdsAny(safetyTexts)
}

func (p phrase) isFailure() bool {
	if p.has(failureWords) || p.holdsAny(failureTexts) {
		return true
	}
	if p.starts(orders) || p.starts([]string{"do", "only", "if"}) && p.has(mustWords) {
		return false
	}
	return p.has(limitWords) && !p.failsAsCondition() || p.speaksOfErrors() && p.has(errorCues)
}

// speaksOfErrors reports whether the tool's own errors are meant, not messages and
// logs that it works on.
func (p phrase) speaksOfErrors() bool {
	for i, w := range p.words {
		if len(errorWords[w]) == 0 {
			continue
		}
		before, after := "", ""
		if i > 0 {
			before = p.words[i-1]
		}
		if i+1 < len(p.words) {
			after = p.words[i+1]
		}
		if before != "console" && !errorTopics[after] {
			return true
		}
	}
	return false
}

// failsAsCondition reports whether "fails" is only the condition of something else:
// "use the agent after scrape fails".
func (p phrase) failsAsCondition() bool {
	for i, w := range p.words {
		if w != "fails" {
			continue
		}
		for _, before := range p.words[max(0, i-4):i] {
			if slices.Contains(conditions, before) {
				return true
			}
		}
	}
	return false
}

func (p phrase) isInstruction() bool {
	if p.has(mustWords) || p.holdsAny(mustTexts) || p.starts(orders) {
		return true
	}
	return p.starts(orderWith) && len(p.words) > 1 && isNameLike(p.words[1])
}

// isNameLike reports words that name something of the interface: an order about
// one is meant for the caller.
func isNameLike(w string) bool {
	return w == "this" || strings.ContainsAny(w, "_0123456789") || w == "both"
}

func (p phrase) isDefault() bool {
	if p.has(defaultWords) || p.holdsAny(defaultTexts) {
		return true
	}
	for i, w := range p.words {
		if w == "default" && i+1 < len(p.words) && strings.Trim(p.words[i+1], "0123456789.-") == "" {
			return true
		}
	}
	return false
}

func (p phrase) isFormat() bool {
	return p.has(formatWords) || p.holdsAny(formatTexts) || p.hasRange() || p.allowsOnly() || p.has(boundWords) && p.hasNumber()
}

func (p phrase) hasNumber() bool {
	return p.has(numberWords) || strings.ContainsAny(p.raw, "0123456789")
}

// allowsOnly reports sentences such as "Only full names are supported."
func (p phrase) allowsOnly() bool {
	i := slices.Index(p.words, "only")
	if i < 0 {
		return false
	}
	return slices.ContainsFunc(p.words[i:], func(w string) bool {
		return w == "supported" || w == "accepted" || w == "allowed" || w == "valid"
	})
}

// hasRange reports bounds in numbers: "between 1 and 50", "up to 20", "1-100".
func (p phrase) hasRange() bool {
	for i, w := range p.words {
		number := w != "" && unicode.IsDigit(rune(w[0]))
		if !number || i == 0 {
			continue
		}
		switch p.words[i-1] {
		case "to", "between", "than", "exceed", "within", "under", "over", "first", "last":
			return true
		}
		if a, b, ok := strings.Cut(w, "-"); ok && strings.Trim(a+b, "0123456789") == "" {
			return true
		}
	}
	return false
}

// isShown reports a block of code, or a line that is labelled as an example.
func (p phrase) isShown() bool {
	if fenceOf(strings.SplitN(p.raw, "\n", 2)[0]) != "" {
		return true
	}
	label, _, found := strings.Cut(strings.TrimLeft(p.raw, "*_#> "), ":")
	return found && len(label) < 40 && strings.Contains(label, "example") && !strings.ContainsAny(label, ".,;")
}

func (p phrase) isExample() bool { return p.has(exampleWords) || p.holdsAny(exampleTexts) }
