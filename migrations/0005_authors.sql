-- Who brought which bytes to a profile: the author, the pusher or the token of any
-- revision that changed a subject to them, in whatever release. Nobody's approval
-- counts on bytes that they brought, also when somebody else pushes them later.
-- key is the digest of the bytes; of a removal see review/author.go.
CREATE TABLE authors (
    server_id TEXT NOT NULL REFERENCES servers (id),
    profile   TEXT NOT NULL,
    key       BYTEA NOT NULL,
    user_id   TEXT NOT NULL,
    token_id  TEXT NOT NULL,
    PRIMARY KEY (server_id, profile, key, user_id, token_id)
);
