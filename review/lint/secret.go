package lint

import (
	"fmt"
	"math"
	"strings"
)

// vendorKeys are prefixes of credentials, with how long the rest is at least.
var vendorKeys = []struct {
	prefix string
	rest   int
	name   string
}{
	{"ghp_", 30, "a GitHub token"}, {"gho_", 30, "a GitHub token"}, {"ghs_", 30, "a GitHub token"}, {"ghu_", 30, "a GitHub token"}, {"github_pat_", 40, "a GitHub token"},
	{"AKIA", 16, "an AWS key"}, {"ASIA", 16, "an AWS key"}, {"sk-ant-", 24, "an API key"}, {"sk-proj-", 24, "an API key"}, {"sk_live_", 20, "a payment key"},
	{"rk_live_", 20, "a payment key"}, {"sk-", 40, "an API key"}, {"xoxb-", 20, "a Slack token"}, {"xoxp-", 20, "a Slack token"}, {"xoxa-", 20, "a Slack token"},
	{"AIza", 35, "a Google key"}, {"glpat-", 20, "a GitLab token"}, {"npm_", 36, "an npm token"}, {"SG.", 40, "a mail key"}, {"hf_", 30, "an access token"},
	{"dop_v1_", 40, "an access token"}, {"shpat_", 30, "a shop token"}, {"whsec_", 24, "a webhook secret"},
}

// secretRules find credentials in what is listed, and parameters that ask a model for
// one.
func (v *view) secretRules() {
	for _, t := range v.texts {
		if len(t.s) >= 16 && !t.hidden {
			v.literal(t)
		}
	}
	for _, p := range v.params {
		v.secretParam(p)
	}
}

func (v *view) literal(t *text) {
	s, raw := t.s, newHay(t.s)
	if i := strings.Index(s, "-----BEGIN "); i >= 0 {
		if _, body, ok := strings.Cut(s[i:], "PRIVATE KEY-----"); ok && isKeyBody(body) {
			v.secret(t, "a private key", s[i:min(len(s), i+40)])
			return
		}
	}
	for _, k := range vendorKeys {
		if !raw.may(k.prefix) {
			continue
		}
		for at := 0; ; {
			i := strings.Index(s[at:], k.prefix)
			if i < 0 {
				break
			}
			i += at
			at = i + len(k.prefix)
			if i > 0 && isKeyByte(s[i-1]) {
				continue
			}
			if rest := keyRun(s[at:]); len(rest) >= k.rest && isLive(rest) {
				v.secret(t, k.name, s[i:at+len(rest)])
				return
			}
		}
	}
	if i := strings.Index(s, "eyJ"); i >= 0 {
		if jwt := keyRunDots(s[i:]); strings.Count(jwt, ".") == 2 && len(jwt) > 60 && isLive(jwt) {
			v.secret(t, "a signed token", jwt)
			return
		}
	}
	if card := cardNumber(s); card != "" {
		v.secret(t, "the number of a payment card", card)
		return
	}
	v.addressWithPassword(t)
}

// isKeyBody reports whether the lines after the head of a key are one, and no sample with
// dots.
func isKeyBody(s string) bool {
	s = strings.TrimLeft(strings.ReplaceAll(short(s, 400), `\n`, "\n"), " \r\n\t")
	line, _, _ := strings.Cut(s, "\n")
	line = strings.TrimSpace(line)
	if i := strings.IndexByte(line, '-'); i > 0 {
		line = strings.TrimSpace(line[:i])
	}
	return len(line) >= 32 && strings.Trim(line, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=") == "" && entropy(line) >= 3.5
}

// testCards are numbers that payment services publish for tests.
var testCards = setOf("4111111111111111 4242424242424242 4012888888881881 4000056655665556 5555555555554444 5105105105105100 2223003122003222 378282246310005 371449635398431 6011111111111117 3530111333300000 4000000000000002")

// cardNumber finds sixteen digits in groups of four that pass the check of card numbers.
func cardNumber(s string) string {
	for i := 0; i+19 <= len(s); i++ {
		group := s[i : i+19]
		if !isDigit(group[0]) || i > 0 && (isDigit(s[i-1]) || s[i-1] == ' ' && i > 1 && isDigit(s[i-2])) || i+19 < len(s) && isDigit(s[i+19]) || group[4] != ' ' && group[4] != '-' {
			continue
		}
		digits := strings.ReplaceAll(group, group[4:5], "")
		if len(digits) == 16 && strings.Trim(digits, "0123456789") == "" && luhn(digits) && !testCards[digits] && strings.ContainsRune("23456", rune(digits[0])) {
			return group
		}
	}
	return ""
}

func luhn(digits string) bool {
	sum := 0
	for i := range len(digits) {
		d := int(digits[len(digits)-1-i] - '0')
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}

// addressWithPassword finds scheme://user:password@host.
func (v *view) addressWithPassword(t *text) {
	i := strings.Index(t.s, "://")
	if i < 0 {
		return
	}
	rest := t.s[i+3:]
	if end := strings.IndexAny(rest, "/ \n\t\"'`)"); end >= 0 {
		rest = rest[:end]
	}
	at := strings.LastIndexByte(rest, '@')
	if at < 0 {
		return
	}
	_, password, ok := strings.Cut(rest[:at], ":")
	if ok && len(password) >= 8 && isLive(password) && !strings.ContainsAny(password, "<>{}[]$") {
		v.secret(t, "a password in an address", t.s[i:i+3+at])
	}
}

func (v *view) secret(t *text, what, value string) {
	f := v.at(t, "secret.literal", Critical, fmt.Sprintf("This looks like %s (%s…). Everybody who lists the tools can read it.", what, short(value, 8)))
	f.Excerpt = short(value, 8) // never the whole
}

func isKeyByte(c byte) bool { return isWordByte(c|0x20) && c < 0x80 || isUpper(c) || c == '-' }

func keyRun(s string) string {
	i := 0
	for i < len(s) && (isKeyByte(s[i]) || s[i] == '_') {
		i++
	}
	return s[:i]
}

func keyRunDots(s string) string {
	i := 0
	for i < len(s) && (isKeyByte(s[i]) || s[i] == '_' || s[i] == '.') {
		i++
	}
	return strings.TrimRight(s[:i], ".")
}

// placeholders stand in samples.
var placeholders = []string{"example", "xxxx", "your", "0000", "1234", "abcd", "placeholder", "sample", "secret", "password", "changeme", "dummy", "test", "redacted", "aaaa", "foobar", "....", "****"}

// isLive reports whether a value is random enough to be a real one.
func isLive(s string) bool { return !hasAny(lower(s), placeholders...) && entropy(s) >= 2.8+minLong(s) }

// minLong asks more of long values: they have room to be random.
func minLong(s string) float64 {
	if len(s) >= 20 {
		return 0.7
	}
	return 0
}

// entropy is Shannon's, in bits per byte.
func entropy(s string) float64 {
	var n [256]int
	for i := range len(s) {
		n[s[i]]++
	}
	h := 0.0
	for _, c := range n {
		if c > 0 {
			p := float64(c) / float64(len(s))
			h -= p * math.Log2(p)
		}
	}
	return h
}

// credentialNames are parameters by which a model would carry a credential.
var credentialNames = setOf("api_key apikey token access_token auth_token authtoken bearer_token password passwd secret client_secret auth authorization credential credentials private_key secret_key access_key api_token refresh_token auth_key pat")

// asksFor reports whether the text of a parameter asks for a credential of somebody.
func asksFor(desc string) bool {
	for _, whose := range []string{"your ", "user's ", "users' ", "customer's ", "client's ", "account's ", "caller's "} {
		for at := strings.Index(desc, whose); at >= 0; at = nextIndex(desc, whose, at) {
			rest := short(desc[at+len(whose):], 40)
			if hasAny(rest, "api key", "api-key", "access token", "auth token", "bearer token", "password", "secret key", "credentials", "passphrase", "pin code", "github token", "login token", "session token") {
				return true
			}
		}
	}
	return false
}

func (v *view) secretParam(p *param) {
	desc := folded(p.desc)
	named := credentialNames[strings.Join(p.words, "_")]
	asked := !named && asksFor(desc)
	if about := v.description(); !named && strings.Contains(about, " in `") {
		name := lower(p.name)
		asked = asked || hasAny(about, "user's api key in `"+name, "api key in `"+name, "password in `"+name, "token in `"+name)
	}
	if !named && !asked || !(p.is("string") || len(p.types) == 0) {
		return
	}
	if hasAny(desc, "pagination", "next page", "page token", "cursor", "continuation", "csrf", "name of", "environment variable", "env var", "optional", "configured", "defaults to", "if not set", "if omitted", "handled by", "device token", "search token") {
		return
	}
	if hasAny(desc, "taken from the server") || p.schema.has("default") && p.schema.text("default") == "" {
		return
	}
	v.found("secret.param", Warn, p.schema, fmt.Sprintf("The parameter %q makes the model carry a credential, so it stands in the conversation and in every log of it.", p.name))
}
