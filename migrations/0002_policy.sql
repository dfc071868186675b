-- Policies in versions, and overrides. Of a policy, servers.policy is the version in force; policies keeps all
-- of them, with those that wait for a second person.

CREATE INDEX verdicts_rejected ON verdicts (server_id, profile) WHERE kind = 'reject';
CREATE INDEX verdicts_user ON verdicts (user_id, at);

CREATE TABLE policies (
    server_id  TEXT NOT NULL REFERENCES servers (id),
    version    BIGINT NOT NULL,
    state      TEXT NOT NULL,
    by_id      TEXT NOT NULL,
    by_label   TEXT NOT NULL,
    at         BIGINT NOT NULL,
    second_id  TEXT NOT NULL,
    second     TEXT NOT NULL,
    decided_at BIGINT NOT NULL,
    loosens    TEXT NOT NULL,
    body       TEXT NOT NULL,
    PRIMARY KEY (server_id, version)
);

CREATE TABLE overrides (
    id             TEXT PRIMARY KEY,
    server_id      TEXT NOT NULL REFERENCES servers (id),
    profile        TEXT NOT NULL,
    release_id     TEXT NOT NULL REFERENCES releases (id),
    digest         BYTEA NOT NULL,
    policy_version BIGINT NOT NULL,
    user_id        TEXT NOT NULL,
    at             BIGINT NOT NULL,
    expires_at     BIGINT NOT NULL,
    ended_at       BIGINT NOT NULL,
    ended_by       TEXT NOT NULL,
    requirements   TEXT NOT NULL,
    reason         TEXT NOT NULL
);
CREATE INDEX overrides_digest ON overrides (digest);

-- What a person may do on a server besides what their role says.
CREATE TABLE grants (
    user_id    TEXT NOT NULL REFERENCES users (id),
    server_id  TEXT NOT NULL REFERENCES servers (id),
    permission TEXT NOT NULL,
    granted_by TEXT NOT NULL,
    at         BIGINT NOT NULL,
    PRIMARY KEY (user_id, server_id, permission)
);

-- Something released that no longer stands on what it was released on.
CREATE TABLE alarms (
    id         TEXT PRIMARY KEY,
    server_id  TEXT NOT NULL REFERENCES servers (id),
    release_id TEXT NOT NULL REFERENCES releases (id),
    at         BIGINT NOT NULL,
    cleared_at BIGINT NOT NULL,
    cleared_by TEXT NOT NULL,
    why        TEXT NOT NULL
);
CREATE INDEX alarms_release ON alarms (release_id);

CREATE INDEX audit_actor ON audit (actor_id, at, id);

-- The override that a release passed with, '' for none.
ALTER TABLE releases ADD COLUMN released_override TEXT NOT NULL DEFAULT '';
