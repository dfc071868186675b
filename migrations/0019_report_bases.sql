-- Reports are kept packed: compressed, and where another one resembles it as what
-- differs from that one, its base, which stands by itself. Those from before are kept
-- as they were: not packed.
ALTER TABLE reports ADD COLUMN packed BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE reports ADD COLUMN base BYTEA;

-- The report that the next ones of its kind about the same profile are kept against.
-- stem is a SHA-256, see store/report.go.
CREATE TABLE report_bases (
    stem BYTEA PRIMARY KEY,
    key  BYTEA NOT NULL REFERENCES reports (key)
);
