-- Who made a link and when, so that open invitations can be listed; and when a
-- person came, from which on they and their inviter count once for a while.
ALTER TABLE links ADD COLUMN made_by TEXT NOT NULL DEFAULT '';
ALTER TABLE links ADD COLUMN made_at BIGINT NOT NULL DEFAULT 0;
CREATE INDEX links_user ON links (user_id, kind);
ALTER TABLE users ADD COLUMN joined_at BIGINT NOT NULL DEFAULT 0;
UPDATE users SET joined_at = created_at WHERE password_hash <> '';
