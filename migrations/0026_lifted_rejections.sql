-- Who took back what somebody said who had left: when the account that did turns out to
-- have been in wrong hands, the rejections stand again. '' for everything else.
ALTER TABLE verdicts ADD COLUMN lifted_by TEXT NOT NULL DEFAULT '';
CREATE INDEX verdicts_lifted ON verdicts (lifted_by) WHERE lifted_by <> '';
