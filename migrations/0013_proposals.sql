-- What waits for a second person: a role with which more may decide, an alias with
-- which a rename breaks nobody. server_id is '' for what is about every server.
CREATE TABLE proposals (
    id         TEXT PRIMARY KEY,
    server_id  TEXT NOT NULL,
    kind       TEXT NOT NULL,
    state      TEXT NOT NULL,
    by_id      TEXT NOT NULL,
    by_label   TEXT NOT NULL,
    at         BIGINT NOT NULL,
    second_id  TEXT NOT NULL,
    second     TEXT NOT NULL,
    decided_at BIGINT NOT NULL,
    body       TEXT NOT NULL
);
CREATE INDEX proposals_waiting ON proposals (server_id, at) WHERE state = 'waits';
