package review

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/countersign/countersign/review/people"
	"github.com/countersign/countersign/review/surface"
)

const (
	// forgeriesPerMinute is how many unverified deliveries one address may send
	// before it is told to wait, without a trace.
	forgeriesPerMinute = 60
)

// delivery starts the record of an attempt to push.
func (s *Service) delivery(in Incoming) *Delivery {
	d := &Delivery{
		ID: newID(), Slug: clip(in.Slug, 100), WebhookID: clip(in.WebhookID, maxWebhookID), Via: "webhook", By: "webhook",
		BodyHash: surface.HashOf(in.Body), BodyBytes: len(in.Body), Params: in.Params, RemoteAddr: in.Addr, ReceivedAt: s.now(),
	}
	if in.Bearer != "" {
		d.Via, d.By, d.WebhookID = "token", "", ""
	}
	return d
}

// clip bounds what a stranger can make us keep.
func clip(s string, n int) string {
	if len(s) > n {
		return s[:n]
	}
	return s
}

// Deliver takes a push over HTTP: a signed webhook or a bearer token. The order of
// checks is: size, sender, then what the transport found, then the push itself.
// Every delivery is recorded, the refused ones with their reason.
func (s *Service) Deliver(ctx context.Context, in Incoming) (pushed *Pushed, err error) {
	defer func() { s.cfg.Observer.Pushed(outcomeOf(pushed, err)) }()
	d := s.delivery(in)
	p := push{delivery: d, params: in.Params, body: in.Body}
	err = s.sender(ctx, in, &p)
	if err != nil {
		return nil, s.refuse(ctx, &p, err)
	}
	if in.Refused != nil {
		return nil, s.refuse(ctx, &p, in.Refused)
	}
	return s.receive(ctx, &p)
}

// sender verifies who pushes, and fills it in.
func (s *Service) sender(ctx context.Context, in Incoming, p *push) error {
	if in.Bearer != "" {
		if err := s.tokenSender(ctx, in, p); err != nil {
			return err
		}
		p.delivery.Verified = true
		if in.TooLarge {
			return s.tooLarge()
		}
		return nil
	}
	if in.TooLarge {
		return s.tooLarge() // a signature is over the whole body, so nobody can tell whose it is
	}
	srv, err := s.verifySignature(ctx, in)
	p.server, p.actor = srv, Actor{Via: "webhook", Addr: in.Addr}
	if srv != nil {
		p.delivery.ServerID = srv.ID
	}
	p.delivery.Verified = err == nil
	return err
}

// tooLarge is the refusal of a body that was cut off.
func (s *Service) tooLarge() error {
	mib := float64(s.cfg.Limits.Surface.Limits.WithDefaults().Bytes) / (1 << 20)
	return Errorf(TooLarge, "Not accepted: the body is larger than the %.3g MiB that a listing may have. Push the listing alone, without messages around it.", mib)
}

// tokenSender finds the token, its scope and the server, in this order: who has a
// valid token learns that a server is none of theirs, not whether it exists.
func (s *Service) tokenSender(ctx context.Context, in Incoming, p *push) error {
	a, err := s.TokenActor(ctx, in.Bearer, in.Addr)
	if err != nil {
		return err
	}
	p.actor, p.delivery.By = a, a.Label()
	return s.store.View(ctx, func(tx Tx) error {
		need := people.Viewer
		if a.User != nil {
			need = people.Reviewer
		}
		srv, err := serverFor(ctx, tx, a, in.Slug, need, people.ScopePush)
		if srv != nil && KindOf(err) != NotFound {
			p.server, p.delivery.ServerID = srv, srv.ID
		}
		return err
	})
}

// Upload takes a push of a signed-in person, or of the command line, which is nobody in
// particular: its listings have no author, so every reviewer may decide them. It is the
// same push as Deliver.
func (s *Service) Upload(ctx context.Context, a Actor, slug string, params PushParams, body []byte, path string) (pushed *Pushed, err error) {
	defer func() { s.cfg.Observer.Pushed(outcomeOf(pushed, err)) }()
	via := "upload"
	if a.Shell {
		via = a.Via
	} else if err := a.person(); err != nil {
		return nil, err
	}
	d := s.delivery(Incoming{Slug: slug, Params: params, Body: body, Addr: a.Addr, PathQuery: path})
	d.Via, d.By, d.Verified = via, a.Label(), true
	p := push{delivery: d, actor: a, params: params, body: body}
	err = s.store.View(ctx, func(tx Tx) error {
		var err error
		p.server, err = serverFor(ctx, tx, a, slug, people.Reviewer, people.ScopePush)
		return err
	})
	if err != nil {
		return nil, err // whose role forbids it is no sender
	}
	d.ServerID = p.server.ID
	return s.receive(ctx, &p)
}

// receive runs a verified push and records it when it is refused.
func (s *Service) receive(ctx context.Context, p *push) (*Pushed, error) {
	pushed, err := s.push(ctx, p)
	if err != nil {
		return nil, s.refuse(ctx, p, err)
	}
	return pushed, nil
}

// refuse records a refused delivery in a transaction of its own and returns why.
// A failure of ours is recorded too, without its details.
func (s *Service) refuse(ctx context.Context, p *push, why error) error {
	var e *Error
	if !errors.As(why, &e) {
		e = &Error{Kind: Internal, Sentence: "The push failed on our side. Try again.", Err: why}
	}
	d := p.delivery
	d.Status, d.Outcome, d.Problems = e.Kind.Status(), e.Sentence, e.Problems
	if !d.Verified {
		// While the database is away nobody can be verified: that is no forgery, and who
		// tries again must not find the door shut when it is back.
		if e.Kind != Unavailable && e.Kind != Internal {
			if wait := s.forgeries.take(d.RemoteAddr, s.now()); wait > 0 {
				return &Error{Kind: RateLimited, RetryAfter: wait, Sentence: "Too many pushes that could not be verified. Wait a minute and check the secret."}
			}
		}
		d.BodyHash, d.BodyBytes, d.Params = surface.Hash{}, 0, PushParams{}
	}
	ctx = context.WithoutCancel(ctx) // who hung up was refused all the same
	err := s.store.Update(ctx, func(tx Tx) error { return s.keepRefused(ctx, tx, d, e.Kind) })
	if err != nil {
		return fmt.Errorf("record a refused push (%w): %w", why, err)
	}
	return why
}

// keepRefused stores the record. Of what anybody can send in any number only
// samples are kept.
func (s *Service) keepRefused(ctx context.Context, tx Tx, d *Delivery, kind Kind) error {
	if d.ServerID == "" {
		// Whoever set a server up looks at its deliveries to see why nothing comes.
		srv, err := tx.ServerBySlug(ctx, d.Slug)
		switch {
		case err == nil:
			d.ServerID = srv.ID
		case KindOf(err) != NotFound:
			return err
		}
	}
	if !d.Verified || kind == RateLimited {
		n, err := tx.AddUnverified(ctx, d.ServerID, d.ReceivedAt.Format(time.DateOnly))
		if err != nil || n > s.cfg.Limits.Samples {
			return err
		}
	}
	return tx.InsertDelivery(ctx, d)
}

// replay returns the first answer to a delivery id that was accepted before; nil
// for a new one.
func (p *push) replay(ctx context.Context, tx Tx) (*Pushed, error) {
	if p.delivery.WebhookID == "" {
		return nil, nil
	}
	first, err := tx.DeliveryByWebhookID(ctx, p.server.ID, p.delivery.WebhookID)
	switch {
	case KindOf(err) == NotFound:
		return nil, nil
	case err != nil:
		return nil, err
	case first.BodyHash != p.delivery.BodyHash:
		return nil, Errorf(Conflict, "This webhook-id was used for another body. Give each push an id of its own; only a retry has the same.")
	}
	return &Pushed{Status: PushSame, Body: first.Answer}, nil
}

// Deliveries lists pushes, accepted and refused, newest first; "" is every server
// of the actor, and for an administrator also those for unknown servers.
func (s *Service) Deliveries(ctx context.Context, a Actor, slug string, p Page) ([]Delivery, error) {
	return s.DeliveryLog(ctx, a, slug, DeliveryFilter{}, p)
}

// DeliveryLog is Deliveries of those that a filter chooses.
func (s *Service) DeliveryLog(ctx context.Context, a Actor, slug string, f DeliveryFilter, p Page) ([]Delivery, error) {
	var found []Delivery
	err := s.store.View(ctx, func(tx Tx) error {
		ids, err := readable(ctx, tx, a, slug)
		if err != nil {
			return err
		}
		found, err = tx.Deliveries(ctx, ids, f, p.bounded())
		return err
	})
	return found, err
}

// turnedAwayDays is how far back days are named of which not all deliveries were kept.
const turnedAwayDays = 7

// TurnedAway returns the days of the last week of which only samples were kept, of
// what nobody vouched for or was too many, with how many there were. It is asked as
// Deliveries are.
func (s *Service) TurnedAway(ctx context.Context, a Actor, slug string) ([]TurnedAway, error) {
	var days []TurnedAway
	err := s.store.View(ctx, func(tx Tx) error {
		ids, err := readable(ctx, tx, a, slug)
		if err != nil {
			return err
		}
		since := s.now().UTC().AddDate(0, 0, 1-turnedAwayDays).Format(time.DateOnly)
		days, err = tx.ManyUnverified(ctx, ids, since, s.cfg.Limits.Samples)
		return err
	})
	return days, err
}

// readable returns the ids of the servers that the actor reads: of one slug, or
// all; nil for everything there is.
func readable(ctx context.Context, tx Tx, a Actor, slug string) ([]string, error) {
	if slug != "" {
		srv, err := serverFor(ctx, tx, a, slug, people.Viewer, people.ScopeRead)
		if err != nil {
			return nil, err
		}
		return []string{srv.ID}, nil
	}
	if a.User == nil && a.Token == nil && !a.Shell {
		return nil, Errorf(Unauthenticated, "Sign in, or send a token.")
	}
	if err := a.scope(people.ScopeRead); err != nil {
		return nil, err
	}
	ids, all, err := serverIDsFor(ctx, tx, a, people.Viewer)
	if all {
		return nil, err
	}
	return ids, err
}
