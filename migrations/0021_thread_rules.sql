-- The rule of the finding that a thread was opened on, '' for none: a finding is no
-- comment, but what people say about it should be found by it.
ALTER TABLE threads ADD COLUMN rule TEXT NOT NULL DEFAULT '';
