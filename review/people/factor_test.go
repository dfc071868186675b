package people

import (
	"net/url"
	"strings"
	"testing"
	"time"
)

// TestFactorCode holds us to the published vectors of RFC 6238, appendix B: the last
// six of their eight digits.
func TestFactorCode(t *testing.T) {
	secret := []byte("12345678901234567890")
	for at, want := range map[int64]string{
		59: "287082", 1111111109: "081804", 1111111111: "050471", 1234567890: "005924", 2000000000: "279037", 20000000000: "353130",
	} {
		if got := FactorCode(secret, time.Unix(at, 0)); got != want {
			t.Errorf("at %d: %s, want %s", at, got, want)
		}
	}
}

func TestFactorStep(t *testing.T) {
	secret := []byte("12345678901234567890")
	now := time.Unix(1_800_000_000, 0)
	for off, fine := range map[time.Duration]bool{0: true, -30 * time.Second: true, 30 * time.Second: true, -60 * time.Second: false, 60 * time.Second: false} {
		at := now.Add(off)
		step, ok := FactorStep(secret, " "+FactorCode(secret, at)[:3]+" "+FactorCode(secret, at)[3:], now)
		if ok != fine || fine && step != at.Unix()/30 {
			t.Errorf("a code from %s: %d %t, want %t", off, step, ok, fine)
		}
	}
	for _, code := range []string{"", "12345", "1234567", "abcdef", FactorCode([]byte("another secret of us"), now)} {
		if _, ok := FactorStep(secret, code, now); ok {
			t.Errorf("the code %q is taken", code)
		}
	}
}

func TestFactorURL(t *testing.T) {
	u, err := url.Parse(FactorURL([]byte("12345678901234567890"), "Countersign (review.example.com)", "ana+x@example.com"))
	if err != nil {
		t.Fatal(err)
	}
	if u.Scheme != "otpauth" || u.Host != "totp" || u.Path != "/Countersign (review.example.com):ana+x@example.com" || strings.Contains(u.RawQuery, "+") ||
		u.Query().Get("secret") != "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ" || u.Query().Get("issuer") != "Countersign (review.example.com)" {
		t.Errorf("address %s", u)
	}
}

func TestRecoveryCode(t *testing.T) {
	code := RecoveryCode([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
	if code != "aaaq-eaye-auda-ocaj" {
		t.Errorf("written as %s", code)
	}
	for _, typed := range []string{code, strings.ToUpper(code), "AAAQ EAYE\tAUDA0CAJ", " aaaqeaye-audaocaj\n"} {
		if FoldRecoveryCode(typed) != FoldRecoveryCode(code) {
			t.Errorf("%q is read as %q", typed, FoldRecoveryCode(typed))
		}
	}
}
