// Package storetest checks an implementation of [review.Store], and opens real
// ones for tests of other packages: nothing in this project mocks the store.
package storetest

import (
	"context"
	"testing"

	"github.com/countersign/countersign/internal/testkit"
	"github.com/countersign/countersign/review"
	"github.com/countersign/countersign/store"
)

// Open returns an empty, migrated store on a SQLite file that lasts as long as
// the test.
func Open(t testing.TB) *store.Store {
	t.Helper()
	return OpenAt(t, SQLite(t))
}

// OpenPostgres returns an empty, migrated store on a PostgreSQL database that
// lasts as long as the test; see [testkit.Postgres] for where it is.
func OpenPostgres(t testing.TB) *store.Store {
	t.Helper()
	return OpenAt(t, testkit.Postgres(t))
}

// OpenAt opens and migrates a database, and closes it after the test.
func OpenAt(t testing.TB, address string) *store.Store {
	t.Helper()
	s, err := store.Open(context.Background(), address)
	if err != nil {
		t.Fatalf("open the store: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close the store: %v", err)
		}
	})
	if err := s.Migrate(context.Background()); err != nil {
		t.Fatalf("migrate the store: %v", err)
	}
	return s
}

// Engines runs a test on both databases. A store that open returns is empty and
// migrated, and the test's alone. On PostgreSQL, where a new database takes longer than
// most of what is done with it, a database is emptied and used again.
func Engines(t *testing.T, test func(t *testing.T, open func(testing.TB) *store.Store)) {
	t.Run("SQLite", func(t *testing.T) { test(t, Open) })
	t.Run("PostgreSQL", func(t *testing.T) {
		used := &used{lasting: t}
		test(t, func(t testing.TB) *store.Store { return OpenAt(t, used.postgres(t)) })
	})
}

// Exercise checks everything that [review.Store] promises. open returns an empty
// store each time.
func Exercise(t *testing.T, open func(testing.TB) review.Store) {
	cases := []struct {
		name string
		run  func(*bench)
	}{
		{"servers", testServers},
		{"secrets", testSecrets},
		{"profiles and baselines", testProfiles},
		{"listings come back whole", testListings},
		{"listings in lists", testListingInfos},
		{"tool refs and slices", testToolRefs},
		{"one slice read in two ways", testReadings},
		{"large listings", testLargeListings},
		{"releases", testReleases},
		{"lists of releases", testReleaseLists},
		{"last released", testLastReleased},
		{"open releases are counted", testCountOpenReleases},
		{"superseded releases are not counted", testCountSuperseded},
		{"many open releases", testManyOpenReleases},
		{"open releases of servers", testOpenReleases},
		{"newest releases", testNewestReleases},
		{"revisions", testRevisions},
		{"released subjects", testReleased},
		{"released subjects at random", testReleasedModel},
		{"verdicts", testVerdicts},
		{"evidence", testEvidence},
		{"grounds", testGrounds},
		{"verdicts are used up and revoked", testVerdictMarks},
		{"rejected bytes", testRejected},
		{"verdicts of a person", testVerdictsOfUser},
		{"overrides", testOverrides},
		{"policies", testPolicies},
		{"grants", testGrants},
		{"alarms", testAlarms},
		{"threads", testThreads},
		{"namings", testNamings},
		{"proposals", testProposals},
		{"waivers", testWaivers},
		{"proposed waivers", testProposedWaivers},
		{"endpoints", testEndpoints},
		{"live readings", testLiveReadings},
		{"drifts", testDrifts},
		{"captures", testCaptures},
		{"viewed", testViewed},
		{"drafts", testDrafts},
		{"notices", testNotices},
		{"suggestions and edits", testSuggestions},
		{"users", testUsers},
		{"tokens", testTokens},
		{"links", testLinks},
		{"unused links", testUnusedLinks},
		{"forgotten links", testForgottenLinks},
		{"second factors", testSecondFactors},
		{"identities", testIdentities},
		{"deliveries", testDeliveries},
		{"replays", testReplays},
		{"unverified deliveries are counted", testUnverified},
		{"reports", testReports},
		{"audit", testAudit},
		{"the chain of the audit", testChain},
		{"checkpoints", testCheckpoints},
		{"signing keys", testKeys},
		{"sealing", testSealing},
		{"text that is none", testText},
		{"transactions", testTransactions},
		{"a failed statement ends it", testFailedStatement},
		{"panics", testPanics},
		{"nesting", testNesting},
		{"reading only", testReadingOnly},
		{"cancelled", testCancelled},
		{"snapshots", testSnapshots},
		{"writers of the same content", testSameContent},
		{"writers of one counter", testLostUpdates},
		{"one of many wins", testOneWins},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { c.run(newBench(t, open(t))) })
	}
}
