-- What ended the approval of a removal: JSON objects, one a line. A tool that is back
-- in one version ends it there, where the others still wait for it; used_up says that
-- it is over everywhere.
ALTER TABLE verdicts ADD COLUMN ended TEXT NOT NULL DEFAULT '';
