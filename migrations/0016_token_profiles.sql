-- A token may be bound to one profile of its server; '' is every profile. made_by is
-- who made it: the id of a user, '' for the command line. It is not known of tokens
-- that are older than this.
ALTER TABLE tokens ADD COLUMN profile TEXT NOT NULL DEFAULT '';
ALTER TABLE tokens ADD COLUMN made_by TEXT NOT NULL DEFAULT '';

-- What somebody is told may be about themselves and no server: then server_id is ''.
CREATE TABLE told (
    id         TEXT PRIMARY KEY,
    user_id    TEXT NOT NULL REFERENCES users (id),
    server_id  TEXT NOT NULL,
    release_id TEXT NOT NULL,
    thread_id  TEXT NOT NULL,
    kind       TEXT NOT NULL,
    actor      TEXT NOT NULL,
    text       TEXT NOT NULL,
    at         BIGINT NOT NULL,
    read_at    BIGINT NOT NULL
);
INSERT INTO told (id, user_id, server_id, release_id, thread_id, kind, actor, text, at, read_at)
    SELECT id, user_id, server_id, release_id, thread_id, kind, actor, text, at, read_at FROM notifications;
DROP TABLE notifications;
ALTER TABLE told RENAME TO notifications;
CREATE INDEX notifications_user ON notifications (user_id, at, id);
CREATE INDEX notifications_unread ON notifications (user_id) WHERE read_at = 0;
