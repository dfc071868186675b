package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/config"
	"github.com/countersign/countersign/review"
)

// liveMCP is a server that lists one tool, whose description can be changed.
func liveMCP(t *testing.T, description *atomic.Value) string {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		body, _ := io.ReadAll(r.Body)
		if json.Unmarshal(body, &m) != nil || m.ID == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		answer := `"error":{"code":-32601,"message":"no such method"}`
		switch m.Method {
		case "initialize":
			answer = `"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"shop","version":"1"}}`
		case "tools/list":
			answer = fmt.Sprintf(`"result":{"tools":[{"name":"check_stock","description":%q,"inputSchema":{"type":"object"}}]}`, description.Load())
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, m.ID, answer)
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

// TestServeReadsEndpoints runs what serve runs: the worker, the reader of live servers
// under the operator's word, and the workflow.
func TestServeReadsEndpoints(t *testing.T) {
	for _, allowed := range []bool{false, true} {
		t.Run(fmt.Sprintf("allowed %v", allowed), func(t *testing.T) {
			env := map[string]string{"COUNTERSIGN_SECRET": strings.Repeat("s", 32), "COUNTERSIGN_DATA_DIR": t.TempDir()}
			if allowed {
				env["COUNTERSIGN_LIVE_HOSTS"] = "127.0.0.1, ::1"
			}
			cfg, err := config.Load(func(name string) (string, bool) { v, ok := env[name]; return v, ok })
			if err != nil {
				t.Fatal(err)
			}
			cfg.DatabaseURL = "sqlite:" + filepath.Join(cfg.DataDir, "countersign.db")
			in, err := openInstance(t.Context(), cfg)
			if err != nil {
				t.Fatal(err)
			}
			defer in.close()
			readsEndpoints(t, in, allowed)
		})
	}
}

func readsEndpoints(t *testing.T, in *instance, allowed bool) {
	shell := review.Actor{Shell: true, Via: "shell"}
	if _, _, err := in.svc.AddServer(t.Context(), shell, review.NewServer{Slug: "shop"}); err != nil {
		t.Fatal(err)
	}
	var description atomic.Value
	description.Store("Check stock.")
	e, err := in.svc.AddEndpoint(t.Context(), shell, "shop", review.NewEndpoint{Name: "EU", URL: liveMCP(t, &description)})
	if !allowed {
		if review.KindOf(err) != review.Invalid || !strings.Contains(err.Error(), "COUNTERSIGN_LIVE_HOSTS") {
			t.Fatalf("http on loopback: %v", err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		in.readLive(ctx, slog.New(slog.DiscardHandler))
	}()
	defer func() { cancel(); <-stopped }()
	for {
		l, err := in.svc.Endpoint(ctx, shell, "shop", e.ID)
		if err != nil {
			t.Fatal(err)
		}
		if now := l.Endpoints[0].Now; now != nil {
			if now.State != review.LiveUnreleased || now.Tools != 1 || !now.Complete {
				t.Errorf("it was read as %+v", now)
			}
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// TestEndpointCommands adds, lists, reads and removes an endpoint from the shell.
func TestEndpointCommands(t *testing.T) {
	t.Setenv("COUNTERSIGN_DATA_DIR", t.TempDir())
	t.Setenv("COUNTERSIGN_SECRET", strings.Repeat("s", 32))
	t.Setenv("COUNTERSIGN_LIVE_HOSTS", "127.0.0.1, ::1")
	var description atomic.Value
	description.Store("Check stock.")
	address := liveMCP(t, &description)
	cli := func(want int, says string, args ...string) string {
		t.Helper()
		var stdout, stderr strings.Builder
		code := run(t.Context(), args, strings.NewReader(""), &stdout, &stderr)
		if out := stdout.String() + stderr.String(); code != want || !strings.Contains(out, says) {
			t.Fatalf("%q exits %d, want %d that says %q:\n%s", args, code, want, says, out)
		}
		return stdout.String()
	}
	cli(exitFine, "", "server", "add", "shop")
	cli(exitFine, "endpoint add shop NAME URL", "endpoint", "list", "shop")
	cli(exitFailed, "5 minutes", "endpoint", "add", "shop", "EU", address, "--every", "1s")
	cli(exitFailed, "Leave name and password out", "endpoint", "add", "shop", "EU", "https://ann:pw@mcp.example.com/")
	cli(exitFine, "every 1h", "endpoint", "add", "shop", "EU", address, "--header", "Authorization: Bearer of-nobody")
	cli(exitFailed, "has an endpoint EU already", "endpoint", "add", "shop", "EU", address)
	if out := cli(exitFine, "not read yet", "endpoint", "list", "shop"); strings.Contains(out, "of-nobody") {
		t.Error("a header's value is printed")
	}
	cli(exitFailed, "it has: EU", "endpoint", "read", "shop", "US")
	cli(exitUnsure, "unreleased", "endpoint", "read", "shop", "EU")
	var listed struct {
		Endpoints []endpointLine `json:"endpoints"`
	}
	if err := json.Unmarshal([]byte(cli(exitFine, "", "endpoint", "list", "shop", "--json")), &listed); err != nil {
		t.Fatal(err)
	}
	if e := listed.Endpoints[0]; e.State != review.LiveUnreleased || e.Tools != 1 || e.ReadAt == nil || e.Digest == "" || len(e.Headers) != 1 || e.Headers[0] != "Authorization" {
		t.Errorf("listed as %+v", e)
	}
	cli(exitFine, "Removed EU of shop", "endpoint", "remove", "shop", listed.Endpoints[0].ID)
	cli(exitFailed, "has no endpoint", "endpoint", "remove", "shop", "EU")
}
