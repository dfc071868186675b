package people

import (
	"crypto/hmac"
	"encoding/base32"
	"net/url"
	"strings"
	"time"

	"github.com/pquerna/otp/hotp"
)

// One-time codes as every app makes them: RFC 6238 with SHA-1, six digits, thirty
// seconds. Other parameters are ignored by many apps, which then show wrong codes.
const (
	codePeriod = 30 // seconds
	// codeSkew is how many steps the clock of a phone may be off, either way.
	codeSkew = 1

	// FactorSecretBytes is how long a secret is, as RFC 4226 recommends.
	FactorSecretBytes = 20
	// RecoveryCodes is how many are made at a time.
	RecoveryCodes = 10
	// RecoveryBytes is how much chance is in one: enough to keep only a plain hash.
	RecoveryBytes = 10
)

var base32Text = base32.StdEncoding.WithPadding(base32.NoPadding)

// FactorKey writes a secret for people who type it into their app.
func FactorKey(secret []byte) string { return base32Text.EncodeToString(secret) }

// FactorURL is what the picture for the app holds: the key, and whose it is where.
func FactorURL(secret []byte, issuer, account string) string {
	u := url.URL{Scheme: "otpauth", Host: "totp", Path: "/" + strings.ReplaceAll(issuer, ":", " ") + ":" + account}
	// Apps read %20, not every one reads "+" as a space.
	u.RawQuery = strings.ReplaceAll(url.Values{"secret": {FactorKey(secret)}, "issuer": {issuer}}.Encode(), "+", "%20")
	return u.String()
}

// FactorCode is the code at a time, as the app shows it.
func FactorCode(secret []byte, at time.Time) string { return codeOf(secret, at.Unix()/codePeriod) }

func codeOf(secret []byte, step int64) string {
	code, err := hotp.GenerateCode(FactorKey(secret), uint64(step))
	if err != nil {
		panic(err) // our own base 32 always decodes
	}
	return code
}

// FactorStep returns the step that a code belongs to, around a time. The caller
// refuses a step that was used, or is older than one that was: whoever looks over
// a shoulder could use the code again.
func FactorStep(secret []byte, code string, at time.Time) (step int64, ok bool) {
	code = strings.Join(strings.Fields(code), "")
	now := at.Unix() / codePeriod
	for s := now - codeSkew; s <= now+codeSkew; s++ {
		if hmac.Equal([]byte(codeOf(secret, s)), []byte(code)) {
			step, ok = s, true // no early end: it would tell which step
		}
	}
	return step, ok
}

// RecoveryCode writes the chance of a recovery code for people: groups of four.
func RecoveryCode(chance []byte) string {
	text := strings.ToLower(base32Text.EncodeToString(chance))
	var groups []string
	for len(text) > 4 {
		groups, text = append(groups, text[:4]), text[4:]
	}
	return strings.Join(append(groups, text), "-")
}

// FoldRecoveryCode undoes what people do to a code on its way from paper.
func FoldRecoveryCode(typed string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r >= 'a' && r <= 'z', r >= '2' && r <= '7':
			return r
		case r == '0':
			return 'o' // base 32 has neither 0 nor 1
		case r == '1':
			return 'l'
		}
		return -1
	}, typed)
}
