-- Where servers run, and what was read there.

-- A listing that was read at an endpoint and that nobody pushed. It belongs to no
-- release, so no gate knows of it, and it goes again when nothing refers to it.
ALTER TABLE listings ADD COLUMN live BOOLEAN NOT NULL DEFAULT FALSE;
CREATE INDEX listings_live ON listings (received_at, id) WHERE live;

-- sealed holds the headers under a key made of SECRET, empty for none; header_names
-- (a JSON array) is what of them may be shown.
CREATE TABLE endpoints (
    id           TEXT PRIMARY KEY,
    server_id    TEXT NOT NULL REFERENCES servers (id),
    profile      TEXT NOT NULL,
    name         TEXT NOT NULL,
    url          TEXT NOT NULL,
    header_names TEXT NOT NULL,
    sealed       BYTEA NOT NULL,
    every        BIGINT NOT NULL,
    at           BIGINT NOT NULL,
    user_id      TEXT NOT NULL
);
CREATE UNIQUE INDEX endpoints_name ON endpoints (server_id, name);

-- Whose turn it is to be read. Whoever reads holds a claim until it runs out, so that
-- several instances never read one endpoint at once.
CREATE TABLE endpoint_turns (
    endpoint_id   TEXT PRIMARY KEY REFERENCES endpoints (id),
    next_at       BIGINT NOT NULL,
    tried_at      BIGINT NOT NULL,
    claim         TEXT NOT NULL,
    claimed_until BIGINT NOT NULL,
    failures      BIGINT NOT NULL
);
CREATE INDEX endpoint_turns_next ON endpoint_turns (next_at);

-- What an endpoint answered, over the time in which it answered the same. The newest
-- is how it is now. why may quote the server.
CREATE TABLE readings (
    id          TEXT PRIMARY KEY,
    endpoint_id TEXT NOT NULL REFERENCES endpoints (id),
    server_id   TEXT NOT NULL REFERENCES servers (id),
    state       TEXT NOT NULL,
    digest      BYTEA NOT NULL,
    tool_set    BYTEA NOT NULL,
    tool_order  BYTEA NOT NULL,
    tools       BIGINT NOT NULL,
    complete    BOOLEAN NOT NULL,
    unstable    BOOLEAN NOT NULL,
    release_id  TEXT NOT NULL,
    drift_id    TEXT NOT NULL,
    why         TEXT NOT NULL,
    first_at    BIGINT NOT NULL,
    last_at     BIGINT NOT NULL,
    times       BIGINT NOT NULL
);
CREATE INDEX readings_endpoint ON readings (endpoint_id, first_at, id);

-- That an endpoint runs something else than what is released. weight names what makes
-- it grave: as long as that is the same it is one drift, however often the listing
-- changes beside it.
CREATE TABLE drifts (
    id          TEXT PRIMARY KEY,
    endpoint_id TEXT NOT NULL REFERENCES endpoints (id),
    server_id   TEXT NOT NULL REFERENCES servers (id),
    profile     TEXT NOT NULL,
    weight      BYTEA NOT NULL,
    level       TEXT NOT NULL,
    state       TEXT NOT NULL,
    digest      BYTEA NOT NULL,
    listing_id  TEXT NOT NULL,
    release_id  TEXT NOT NULL,
    why         TEXT NOT NULL,
    findings    TEXT NOT NULL,
    since       BIGINT NOT NULL,
    last_at     BIGINT NOT NULL,
    times       BIGINT NOT NULL,
    variants    BIGINT NOT NULL,
    ended_at    BIGINT NOT NULL,
    ended_why   TEXT NOT NULL
);
CREATE UNIQUE INDEX drifts_weight ON drifts (endpoint_id, weight);
CREATE INDEX drifts_server ON drifts (server_id, ended_at);

-- That somebody knows what an endpoint runs. It binds the digest, and ends.
CREATE TABLE known_drifts (
    id          TEXT PRIMARY KEY,
    server_id   TEXT NOT NULL REFERENCES servers (id),
    endpoint_id TEXT NOT NULL,
    digest      BYTEA NOT NULL,
    user_id     TEXT NOT NULL,
    reason      TEXT NOT NULL,
    at          BIGINT NOT NULL,
    until       BIGINT NOT NULL,
    ended_by    TEXT NOT NULL,
    ended_at    BIGINT NOT NULL
);
CREATE INDEX known_drifts_server ON known_drifts (server_id, endpoint_id);

ALTER TABLE notifications ADD COLUMN endpoint_id TEXT NOT NULL DEFAULT '';
CREATE INDEX notifications_endpoint ON notifications (endpoint_id) WHERE endpoint_id <> '';
