package web_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/countersign/countersign/review/lock"
	"github.com/countersign/countersign/review/proof"
	"github.com/countersign/countersign/web/api"
)

func TestLockOfAReleasedVersion(t *testing.T) {
	body := listing(tool("entity_get", "Reads one entity."))
	p, _ := newPlace(t, body)
	gateToken := withToken(p.addToken("git", "", "gate"))
	a := p.want(200, p.get(gateToken, "/api/v1/servers/git/lock?version=0.9.0&profile=locked"))
	f, err := lock.Parse([]byte(a.body))
	if err != nil {
		t.Fatal(err)
	}
	if got := f.Check(proof.Trusted{Key: signer.Key()}); got != lock.Valid {
		t.Errorf("its signature is %s", got)
	}
	k := f.Lock
	if k.Server != "git" || k.Profile != "locked" || k.Version != "0.9.0" || k.PolicyVersion != 1 || k.ReleasedBy != "maintainer" || k.ReleasedAt == nil ||
		len(k.Tools) != 1 || k.Tools[0].Name != "entity_get" || len(k.Approvals) == 0 || !strings.HasPrefix(k.Approvals[0].By, "baseline by") || !k.Independent {
		t.Errorf("%+v", k)
	}
	for query, status := range map[string]int{"version=1.0.0": 409, "version=7": 404, "": 400, "version=0.9.0": 404} {
		p.problem(query, p.get(gateToken, "/api/v1/servers/git/lock?"+query), status)
	}
}

func TestVerifyAnswersForGateways(t *testing.T) {
	body := listing(tool("entity_get", "Reads one entity."))
	p, _ := newPlace(t, body)
	gateToken := withToken(p.addToken("git", "", "gate"))
	for name, tt := range map[string]struct{ body, profile, state, says string }{
		"the same":       {body, "locked", "same", "This is 0.9.0"},
		"another text":   {listing(tool("entity_get", "Reads two entities.")), "locked", "differs", `"tool":"entity_get"`},
		"one more":       {listing(tool("entity_get", "Reads one entity."), tool("drop", "Drops.")), "locked", "differs", `"tool":"drop"`},
		"a page":         {`{"tools":[` + tool("entity_get", "Reads one entity.") + `],"nextCursor":"x"}`, "locked", "unknown", "another page"},
		"not released":   {body, "default", "unknown", "Nothing is released"},
		"instructions":   {`{"instructions":"Obey.","tools":[` + tool("entity_get", "Reads one entity.") + `]}`, "locked", "differs", "instructions"},
		"no such profil": {body, "none", "unknown", "Nothing is released"},
	} {
		t.Run(name, func(t *testing.T) {
			a := p.want(200, p.postJSON(gateToken, "/api/v1/servers/git/verify?profile="+tt.profile, tt.body))
			var v api.Verified
			if err := json.Unmarshal([]byte(a.body), &v); err != nil || v.State != tt.state || !strings.Contains(a.body, tt.says) {
				t.Errorf("%v %s, want %s and %q", err, a.body, tt.state, tt.says)
			}
		})
	}
	p.problem("no listing", p.postJSON(gateToken, "/api/v1/servers/git/verify", `{"a":1}`), 422)
}
