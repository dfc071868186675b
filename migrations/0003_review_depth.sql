-- Review at depth: names that a person vouches for, what belongs to a thread, what
-- each person saw, and what they are told.

-- The words around a thread's quote, and the value that it stood in, so that the
-- thread finds its place in later texts. NULL in threads from before.
ALTER TABLE threads ADD COLUMN lead BYTEA;
ALTER TABLE threads ADD COLUMN tail BYTEA;
ALTER TABLE threads ADD COLUMN snippet BYTEA;

-- Aliases (an old name that the server still answers to) and pairings (a rename
-- that a person recognised). They are ended, never removed: what was released
-- while they held is still read with them.
CREATE TABLE namings (
    id         TEXT PRIMARY KEY,
    server_id  TEXT NOT NULL REFERENCES servers (id),
    profile    TEXT NOT NULL,
    kind       TEXT NOT NULL,
    old_name   BYTEA NOT NULL,
    new_name   BYTEA NOT NULL,
    note       TEXT NOT NULL,
    user_id    TEXT NOT NULL,
    at         BIGINT NOT NULL,
    until      BIGINT NOT NULL,
    ended_by   TEXT NOT NULL,
    ended_at   BIGINT NOT NULL
);
CREATE INDEX namings_server ON namings (server_id, at, id);

-- Earlier texts of comments, each with when it was replaced.
CREATE TABLE comment_edits (
    id         TEXT PRIMARY KEY,
    comment_id TEXT NOT NULL REFERENCES comments (id),
    at         BIGINT NOT NULL,
    body       TEXT NOT NULL
);
CREATE INDEX comment_edits_comment ON comment_edits (comment_id, at, id);

-- A comment may suggest a text for the place of its thread.
CREATE TABLE suggestions (
    comment_id TEXT PRIMARY KEY REFERENCES comments (id),
    old_text   BYTEA NOT NULL,
    new_text   TEXT NOT NULL
);

-- What somebody wrote and did not publish yet. body is JSON.
CREATE TABLE drafts (
    user_id    TEXT NOT NULL REFERENCES users (id),
    release_id TEXT NOT NULL REFERENCES releases (id),
    target     TEXT NOT NULL,
    updated_at BIGINT NOT NULL,
    body       BYTEA NOT NULL,
    PRIMARY KEY (user_id, release_id, target)
);

CREATE TABLE notifications (
    id         TEXT PRIMARY KEY,
    user_id    TEXT NOT NULL REFERENCES users (id),
    server_id  TEXT NOT NULL REFERENCES servers (id),
    release_id TEXT NOT NULL,
    thread_id  TEXT NOT NULL,
    kind       TEXT NOT NULL,
    actor      TEXT NOT NULL,
    text       TEXT NOT NULL,
    at         BIGINT NOT NULL,
    read_at    BIGINT NOT NULL
);
CREATE INDEX notifications_user ON notifications (user_id, at, id);
CREATE INDEX notifications_unread ON notifications (user_id) WHERE read_at = 0;

-- What somebody has looked at: theirs alone.
CREATE TABLE viewed (
    user_id   TEXT NOT NULL REFERENCES users (id),
    server_id TEXT NOT NULL REFERENCES servers (id),
    profile   TEXT NOT NULL,
    change_id TEXT NOT NULL,
    at        BIGINT NOT NULL,
    PRIMARY KEY (user_id, server_id, profile, change_id)
);

-- Which listings somebody worked on, so that they can see what came since.
CREATE TABLE looks (
    user_id    TEXT NOT NULL REFERENCES users (id),
    server_id  TEXT NOT NULL REFERENCES servers (id),
    profile    TEXT NOT NULL,
    listing_id TEXT NOT NULL REFERENCES listings (id),
    release_id TEXT NOT NULL,
    at         BIGINT NOT NULL,
    PRIMARY KEY (user_id, server_id, profile, listing_id)
);

-- family is '' for the whole server.
CREATE TABLE subscriptions (
    user_id   TEXT NOT NULL REFERENCES users (id),
    server_id TEXT NOT NULL REFERENCES servers (id),
    family    TEXT NOT NULL,
    at        BIGINT NOT NULL,
    PRIMARY KEY (user_id, server_id, family)
);
CREATE INDEX subscriptions_server ON subscriptions (server_id);
