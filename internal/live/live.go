// Package live tells waiting readers that something may have changed.
//
// A Hub carries no content, only the topic that was touched: whoever waits asks
// for what it may see, with the rights that it has at that moment. So a message
// that is lost, doubled or late is never wrong, and a reader that was away needs
// one question to be up to date. The topics are ids of servers; the empty one
// stands for all of them.
package live

import (
	"errors"
	"sync"
)

// Everything is the topic that wakes every reader: after messages may have been
// lost.
const Everything = ""

// ErrTooMany is returned to a reader who has as many subscriptions as one may.
var ErrTooMany = errors.New("live: too many subscriptions")

// PerReader is how many subscriptions one reader may have at a time, unless the
// hub says otherwise.
const PerReader = 5

// Hub hands out what was touched. The zero value is not usable; it is safe for
// concurrent use.
type Hub struct {
	perReader int

	mu      sync.Mutex
	closed  bool
	topics  map[string]map[*Subscription]struct{}
	readers map[string]int
}

// NewHub returns a hub that nobody listens to yet, with PerReader subscriptions
// for each reader.
func NewHub() *Hub { return NewHubFor(PerReader) }

// NewHubFor is NewHub with another number of subscriptions for each reader.
func NewHubFor(perReader int) *Hub {
	return &Hub{perReader: perReader, topics: map[string]map[*Subscription]struct{}{}, readers: map[string]int{}}
}

// Subscription is one reader's interest in one topic.
type Subscription struct {
	hub           *Hub
	topic, reader string
	woken         chan struct{} // holds one: several touches before a look are one
	done          chan struct{}
	once          sync.Once
}

// Subscribe makes a reader wait for a topic, until Close. ErrTooMany when the
// reader has PerReader already. On a closed hub the subscription is done at once.
func (h *Hub) Subscribe(topic, reader string) (*Subscription, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := &Subscription{hub: h, topic: topic, reader: reader, woken: make(chan struct{}, 1), done: make(chan struct{})}
	if h.closed {
		s.end()
		return s, nil
	}
	if h.readers[reader] >= h.perReader {
		return nil, ErrTooMany
	}
	h.readers[reader]++
	if h.topics[topic] == nil {
		h.topics[topic] = map[*Subscription]struct{}{}
	}
	h.topics[topic][s] = struct{}{}
	return s, nil
}

// Woken receives after the topic was touched.
func (s *Subscription) Woken() <-chan struct{} { return s.woken }

// Done is closed when the hub ends: there will be nothing more to wait for.
func (s *Subscription) Done() <-chan struct{} { return s.done }

// Close ends the subscription and makes room for another of the reader. A second
// call changes nothing.
func (s *Subscription) Close() {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	s.hub.forget(s)
}

// PerReader is how many subscriptions one reader may have at a time.
func (h *Hub) PerReader() int { return h.perReader }

// Readers counts the subscriptions of all readers.
func (h *Hub) Readers() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := 0
	for _, of := range h.readers {
		n += of
	}
	return n
}

// forget takes a subscription out, if it is still in.
func (h *Hub) forget(s *Subscription) {
	subs := h.topics[s.topic]
	if _, in := subs[s]; !in {
		return
	}
	delete(subs, s)
	if len(subs) == 0 {
		delete(h.topics, s.topic)
	}
	if h.readers[s.reader]--; h.readers[s.reader] == 0 {
		delete(h.readers, s.reader)
	}
}

func (s *Subscription) end() { s.once.Do(func() { close(s.done) }) }

func (s *Subscription) wake() {
	select {
	case s.woken <- struct{}{}:
	default: // it has not looked since the last one
	}
}

// Tell wakes who waits for a topic; Everything wakes all. It never blocks.
func (h *Hub) Tell(topic string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if topic != Everything {
		for s := range h.topics[topic] {
			s.wake()
		}
		return
	}
	for _, subs := range h.topics {
		for s := range subs {
			s.wake()
		}
	}
}

// Close ends every subscription, those to come too: the program stops.
func (h *Hub) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for _, subs := range h.topics {
		for s := range subs {
			s.end()
			h.forget(s)
		}
	}
}
