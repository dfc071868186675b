-- Reports are functions of what they are about, so one that nobody needs goes and is
-- made anew when somebody does. used_at says about when one was last read, to a few
-- days; 0 until a sweep has seen it.
ALTER TABLE reports ADD COLUMN used_at BIGINT NOT NULL DEFAULT 0;
CREATE INDEX reports_used ON reports (used_at, key);

-- What is packed against a report keeps it.
CREATE INDEX reports_base ON reports (base);
