-- On what a release stood when it was released: policy, approvals and overrides, as
-- JSON. What came later (another policy, an answer taken back) does not change it.
CREATE TABLE release_grounds (
    release_id TEXT PRIMARY KEY REFERENCES releases (id),
    body       TEXT NOT NULL
);

-- What the giver of a verdict tried, as a JSON array; '' for nothing.
ALTER TABLE verdicts ADD COLUMN evidence TEXT NOT NULL DEFAULT '';
