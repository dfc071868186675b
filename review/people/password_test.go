package people

import (
	"bytes"
	"strings"
	"testing"
)

func TestPassword(t *testing.T) {
	stored := HashPassword("correct horse", bytes.Repeat([]byte{7}, SaltBytes))
	if !strings.HasPrefix(stored, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Errorf("stored as %s", stored)
	}
	for _, c := range []struct {
		stored, password string
		want             bool
	}{
		{stored, "correct horse", true},
		{stored, "correct horsE", false},
		{stored, "", false},
		{stored, strings.Repeat("x", maxPassword+1), false},
		{"", "", false},
		{"", "correct horse", false},
		{strings.Replace(stored, "m=19456", "m=4000000000", 1), "correct horse", false},
		{strings.Replace(stored, "t=2", "t=0", 1), "correct horse", false},
		{strings.Replace(stored, "argon2id", "argon2i", 1), "correct horse", false},
		{stored[:len(stored)-4], "correct horse", false},
	} {
		if got := PasswordMatches(c.stored, c.password); got != c.want {
			t.Errorf("PasswordMatches(%q, %.20q) = %t", c.stored, c.password, got)
		}
	}
}

func TestCheckNewPassword(t *testing.T) {
	for password, fine := range map[string]bool{
		"123456789012": true, "12345678901": false, "длинный пароль": true, strings.Repeat("x", 2000): false, "\xff\xff\xff\xff\xff\xff\xff\xff\xff": false,
	} {
		if got := CheckNewPassword(password) == ""; got != fine {
			t.Errorf("CheckNewPassword(%.20q) = %q", password, CheckNewPassword(password))
		}
	}
}

func TestRoles(t *testing.T) {
	u := &User{Memberships: []Membership{{ServerID: "", Role: Viewer}, {ServerID: "a", Role: Maintainer}}}
	for server, want := range map[string]Role{"": Viewer, "a": Maintainer, "b": Viewer} {
		if got := u.RoleOn(server); got != want {
			t.Errorf("RoleOn(%q) = %q, want %q", server, got, want)
		}
	}
	if (*User)(nil).RoleOn("a") != NoRole {
		t.Error("nobody has a role")
	}
	for _, name := range []string{"", "owner", "Admin"} {
		if _, ok := ParseRole(name); ok {
			t.Errorf("ParseRole(%q) accepted", name)
		}
	}
	if Admin.AtLeast(Maintainer) != true || Viewer.AtLeast(Reviewer) != false || !NoRole.AtLeast(NoRole) {
		t.Error("roles are out of order")
	}
}

func TestScopes(t *testing.T) {
	tok := &Token{Scopes: []Scope{ScopePush}}
	if !tok.Has(ScopePush) || tok.Has(ScopeReview) || (*Token)(nil).Has(ScopePush) {
		t.Error("Has is wrong")
	}
	if _, ok := ParseScope("admin"); ok {
		t.Error("unknown scope accepted")
	}
}
