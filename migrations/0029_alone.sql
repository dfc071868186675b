-- Releases that stand on something which its author approved alone: the mark goes with
-- the bytes into the versions that carry them. Within JSON text a quote is escaped, so
-- no note can look like the member.
ALTER TABLE release_grounds ADD COLUMN alone BOOLEAN NOT NULL DEFAULT false;
UPDATE release_grounds SET alone = true WHERE body LIKE '%"independent":false%';
