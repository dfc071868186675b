package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/countersign/countersign/store"
	"github.com/countersign/countersign/web"
)

// gauges adds what is looked up at each scrape.
func (i *instance) gauges(s *web.Server) {
	i.meter.Gauge("countersign_event_streams", "Pages that wait for news.", nil, func() float64 { return float64(i.hub.Readers()) })
	i.meter.Gauge("countersign_pushes_running", "Pushes that are being worked on.", nil, func() float64 { return float64(s.Pushing()) })
	for n, pool := range i.store.Pools() {
		labels := map[string]string{"pool": pool.Name}
		now := func(value func(store.Pool) float64) func() float64 {
			return func() float64 { return value(i.store.Pools()[n]) }
		}
		i.meter.Gauge("countersign_db_connections", "Connections to the database that are open.", labels, now(func(p store.Pool) float64 { return float64(p.Open) }))
		i.meter.Gauge("countersign_db_connections_busy", "Connections to the database that do something.", labels, now(func(p store.Pool) float64 { return float64(p.InUse) }))
		i.meter.Gauge("countersign_db_connections_most", "Connections to the database that may be open.", labels, now(func(p store.Pool) float64 { return float64(p.Most) }))
		i.meter.Counter("countersign_db_waits_total", "How often something waited for a connection.", labels, now(func(p store.Pool) float64 { return float64(p.Waited) }))
		i.meter.Counter("countersign_db_wait_seconds_total", "How long that took together.", labels, now(func(p store.Pool) float64 { return p.WaitedFor.Seconds() }))
	}
}

// serveMetrics answers /metrics, and nothing else, at the address that the operator
// gave for it, until ctx ends.
func (i *instance) serveMetrics(ctx context.Context, log *slog.Logger) error {
	if i.cfg.MetricsAddr == "" {
		return nil
	}
	ln, err := net.Listen("tcp", i.cfg.MetricsAddr)
	if err != nil {
		return fmt.Errorf("can't listen on %s for metrics: %w (another address: COUNTERSIGN_METRICS_ADDR)", i.cfg.MetricsAddr, err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", i.meter.Handler())
	srv := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug)}
	context.AfterFunc(ctx, func() { srv.Close() })
	go func() {
		if err := srv.Serve(ln); err != nil && ctx.Err() == nil {
			log.Error("metrics are not answered any more", "error", err)
		}
	}()
	return nil
}
