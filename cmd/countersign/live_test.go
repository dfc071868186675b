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
