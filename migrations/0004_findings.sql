-- Accepted findings. A waiver is bound to what stood there; it is ended, never
-- removed.
CREATE TABLE waivers (
    id           TEXT PRIMARY KEY,
    server_id    TEXT NOT NULL REFERENCES servers (id),
    profile      TEXT NOT NULL,
    release_id   TEXT NOT NULL,
    rule         TEXT NOT NULL,
    rule_version TEXT NOT NULL,
    severity     TEXT NOT NULL,
    tool         BYTEA NOT NULL,
    pointer      BYTEA NOT NULL,
    fingerprint  TEXT NOT NULL,
    bound        BYTEA NOT NULL,
    kind         TEXT NOT NULL,
    reason       TEXT NOT NULL,
    user_id      TEXT NOT NULL,
    at           BIGINT NOT NULL,
    until        BIGINT NOT NULL,
    policy       BIGINT NOT NULL,
    confirmed_by TEXT NOT NULL,
    confirmed_at BIGINT NOT NULL,
    ended_by     TEXT NOT NULL,
    ended_at     BIGINT NOT NULL,
    ended_why    TEXT NOT NULL
);
CREATE INDEX waivers_server ON waivers (server_id, at, id);
-- Those that can still hold.
CREATE INDEX waivers_open ON waivers (server_id, profile, until) WHERE ended_at = 0;
