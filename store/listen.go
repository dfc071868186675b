package store

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/lib/pq"
)

// listeners are told which servers a committed transaction touched.
type listeners struct {
	mu   sync.Mutex
	list []*func(serverID string)
}

func (l *listeners) add(tell func(string)) (remove func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, &tell)
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.list = slices.DeleteFunc(l.list, func(f *func(string)) bool { return f == &tell })
	}
}

func (l *listeners) tell(serverIDs []string) {
	l.mu.Lock()
	list := slices.Clone(l.list)
	l.mu.Unlock()
	for _, f := range list {
		for _, id := range serverIDs {
			(*f)(id)
		}
	}
}

// Listen calls tell with the id of every server that a committed transaction
// touched, until ctx ends; then it returns nil. "" says that messages may have been
// lost, so anything may have changed. tell must not block.
//
// On SQLite it hears what this program commits. On PostgreSQL it hears what every
// program on the database commits, itself included, over a connection of its own
// that is made anew, as often as it takes, when it breaks.
func (s *Store) Listen(ctx context.Context, tell func(serverID string)) error {
	if s.engine.notify == "" {
		defer s.listeners.add(tell)()
		<-ctx.Done()
		return nil
	}
	l := pq.NewListener(s.address, listenAgainMin, listenAgainMax, nil)
	defer context.AfterFunc(ctx, func() { l.Close() })()
	if err := l.Listen(channel); err != nil && ctx.Err() == nil { // waits until there is a connection
		l.Close()
		return failure(ctx, err)
	}
	tell("") // whatever was committed before this moment
	for {
		select {
		case <-ctx.Done():
			return nil
		case n := <-l.Notify:
			if n == nil { // the connection was lost and made anew
				tell("")
				continue
			}
			tell(n.Extra)
		case <-time.After(listenPing):
			go l.Ping() // an error makes the listener connect anew, and say so
		}
	}
}

const (
	channel        = "countersign"
	listenAgainMin = time.Second
	listenAgainMax = 30 * time.Second
	listenPing     = 90 * time.Second
)

// touch notes that the transaction changed something of a server.
func (t *tx) touch(serverID string) {
	if serverID != "" && !slices.Contains(t.touched, serverID) {
		t.touched = append(t.touched, serverID)
	}
}

// announce sends what was touched inside the transaction, where the engine carries
// it to others: it arrives when the transaction commits, and not otherwise.
func (t *tx) announce(ctx context.Context) error {
	if t.store.engine.notify == "" {
		return nil
	}
	for _, id := range t.touched {
		if _, err := t.db.ExecContext(ctx, t.store.engine.notify, channel, id); err != nil {
			return err
		}
	}
	return nil
}
