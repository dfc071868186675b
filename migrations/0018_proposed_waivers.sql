-- Waivers that a file beside the code proposes. They count for nothing until somebody
-- who may accept the finding says so; then a row in waivers is made. What is open is a
-- question of one release, an answer holds for the profile. question is a hash of all
-- that the file says, so that the same proposal is known again.
CREATE TABLE proposed_waivers (
    id          TEXT PRIMARY KEY,
    server_id   TEXT NOT NULL REFERENCES servers (id),
    profile     TEXT NOT NULL,
    release_id  TEXT NOT NULL,
    question    BYTEA NOT NULL,
    fingerprint TEXT NOT NULL,
    rule        TEXT NOT NULL,
    tool        BYTEA NOT NULL,
    pointer     BYTEA NOT NULL,
    kind        TEXT NOT NULL,
    reason      TEXT NOT NULL,
    author      TEXT NOT NULL,
    expires     TEXT NOT NULL,
    pushed_by   TEXT NOT NULL,
    at          BIGINT NOT NULL,
    state       TEXT NOT NULL,
    answered_by TEXT NOT NULL,
    answered_at BIGINT NOT NULL,
    why         TEXT NOT NULL,
    waiver_id   TEXT NOT NULL,
    until       BIGINT NOT NULL
);
CREATE UNIQUE INDEX proposed_waivers_open ON proposed_waivers (release_id, question) WHERE state = 'open';
CREATE INDEX proposed_waivers_key ON proposed_waivers (server_id, profile, question);
CREATE INDEX proposed_waivers_server ON proposed_waivers (server_id, at, id);
