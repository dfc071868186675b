-- One dialect for SQLite and PostgreSQL (docs/adr/0003-one-dialect-storage.md):
-- ids are TEXT made in Go, times BIGINT microseconds UTC with 0 for "never",
-- hashes and whatever a stranger may have written are BYTEA, empty for "none",
-- JSON is TEXT.
-- Large columns come last: SQLite reads a row from the left.

CREATE TABLE servers (
    id         TEXT PRIMARY KEY,
    slug       TEXT NOT NULL UNIQUE,
    name       TEXT NOT NULL,
    policy     TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    created_by TEXT NOT NULL
);

CREATE TABLE server_secrets (
    id         TEXT PRIMARY KEY,
    server_id  TEXT NOT NULL REFERENCES servers (id),
    sealed     BYTEA NOT NULL,
    expires_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX server_secrets_server ON server_secrets (server_id);

CREATE TABLE profiles (
    server_id  TEXT NOT NULL REFERENCES servers (id),
    name       TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (server_id, name)
);

-- A raw definition, kept once whoever sends it. Its id is a short name for use
-- in listings.refs; digest, form and name are what its first reader made of it.
CREATE TABLE slices (
    raw_hash BYTEA PRIMARY KEY,
    id       BIGINT NOT NULL UNIQUE,
    digest   BYTEA NOT NULL,
    form     TEXT NOT NULL,
    name     BYTEA NOT NULL,
    raw      BYTEA NOT NULL
);

-- A listing is its envelope (the bytes around the definitions) and refs, the
-- packed ordered list of slice ids. See store/pack.go for the format.
CREATE TABLE listings (
    id                   TEXT PRIMARY KEY,
    server_id            TEXT NOT NULL REFERENCES servers (id),
    profile              TEXT NOT NULL,
    raw_hash             BYTEA NOT NULL,
    digest               BYTEA NOT NULL,
    shape                TEXT NOT NULL,
    kind                 TEXT NOT NULL,
    complete             BOOLEAN NOT NULL,
    tool_count           BIGINT NOT NULL,
    bytes                BIGINT NOT NULL,
    received_at          BIGINT NOT NULL,
    protocol_version     BYTEA NOT NULL,
    instructions_asked   BOOLEAN NOT NULL,
    instructions_present BOOLEAN NOT NULL,
    problems             TEXT NOT NULL,
    server_info          BYTEA NOT NULL,
    instructions         BYTEA NOT NULL,
    refs                 BYTEA NOT NULL,
    envelope             BYTEA NOT NULL
);
CREATE INDEX listings_server ON listings (server_id, received_at, id);
CREATE INDEX listings_digest ON listings (digest, server_id, profile);

CREATE TABLE baselines (
    server_id    TEXT NOT NULL REFERENCES servers (id),
    profile      TEXT NOT NULL,
    listing_id   TEXT NOT NULL REFERENCES listings (id),
    digest       BYTEA NOT NULL,
    user_id      TEXT NOT NULL,
    at           BIGINT NOT NULL,
    acknowledged TEXT NOT NULL,
    PRIMARY KEY (server_id, profile)
);

CREATE TABLE releases (
    id                       TEXT PRIMARY KEY,
    server_id                TEXT NOT NULL REFERENCES servers (id),
    profile                  TEXT NOT NULL,
    version                  TEXT NOT NULL,
    ref                      TEXT NOT NULL,
    predecessor              TEXT NOT NULL,
    predecessor_confirmed_by TEXT NOT NULL,
    created_at               BIGINT NOT NULL,
    released_at              BIGINT NOT NULL,
    released_by              TEXT NOT NULL,
    released_revision        BIGINT NOT NULL,
    released_base_id         TEXT NOT NULL,
    withdrawn_at             BIGINT NOT NULL,
    withdrawn_by             TEXT NOT NULL,
    withdrawn_reason         TEXT NOT NULL,
    withdrawn_for_cause      BOOLEAN NOT NULL
);
CREATE UNIQUE INDEX releases_version ON releases (server_id, profile, version) WHERE version <> '';
CREATE UNIQUE INDEX releases_ref ON releases (server_id, profile, ref) WHERE ref <> '';
CREATE INDEX releases_server ON releases (server_id, created_at, id);
CREATE INDEX releases_released ON releases (server_id, profile, released_at);
CREATE INDEX releases_open ON releases (created_at, id) WHERE released_at = 0 AND withdrawn_at = 0;

CREATE TABLE revisions (
    release_id TEXT NOT NULL REFERENCES releases (id),
    n          BIGINT NOT NULL,
    listing_id TEXT NOT NULL REFERENCES listings (id),
    digest     BYTEA NOT NULL,
    raw_hash   BYTEA NOT NULL,
    pushed_at  BIGINT NOT NULL,
    pusher_id  TEXT NOT NULL,
    pushed_by  TEXT NOT NULL,
    token_id   TEXT NOT NULL,
    author_id  TEXT NOT NULL,
    author     TEXT NOT NULL,
    commit_id  TEXT NOT NULL,
    run_url    TEXT NOT NULL,
    PRIMARY KEY (release_id, n)
);
CREATE INDEX revisions_digest ON revisions (digest);

-- Which subjects stood in which releases, as runs over the numbered releases of
-- a profile: a subject that stays costs nothing again. key is the SHA-256 of
-- subject, name and digest. See store/released.go.
CREATE TABLE released (
    server_id  TEXT NOT NULL REFERENCES servers (id),
    profile    TEXT NOT NULL,
    n          BIGINT NOT NULL,
    release_id TEXT NOT NULL REFERENCES releases (id),
    PRIMARY KEY (server_id, profile, n)
);
CREATE TABLE released_runs (
    server_id TEXT NOT NULL REFERENCES servers (id),
    profile   TEXT NOT NULL,
    key       BYTEA NOT NULL,
    first_n   BIGINT NOT NULL,
    last_n    BIGINT NOT NULL,
    digest    BYTEA NOT NULL,
    subject   TEXT NOT NULL,
    name      BYTEA NOT NULL,
    PRIMARY KEY (server_id, profile, key, first_n)
);
CREATE INDEX released_runs_digest ON released_runs (digest);
CREATE INDEX released_runs_last ON released_runs (server_id, profile, last_n);

CREATE TABLE verdicts (
    id          TEXT PRIMARY KEY,
    server_id   TEXT NOT NULL REFERENCES servers (id),
    profile     TEXT NOT NULL,
    release_id  TEXT NOT NULL REFERENCES releases (id),
    revision    BIGINT NOT NULL,
    change_id   TEXT NOT NULL,
    edit        TEXT NOT NULL,
    subject     TEXT NOT NULL,
    name        BYTEA NOT NULL,
    from_digest BYTEA NOT NULL,
    to_digest   BYTEA NOT NULL,
    class       TEXT NOT NULL,
    kind        TEXT NOT NULL,
    note        TEXT NOT NULL,
    user_id     TEXT NOT NULL,
    token_id    TEXT NOT NULL,
    own_push    BOOLEAN NOT NULL,
    at          BIGINT NOT NULL,
    used_up     BOOLEAN NOT NULL,
    revoked_at  BIGINT NOT NULL,
    revoked_why TEXT NOT NULL
);
CREATE INDEX verdicts_from ON verdicts (from_digest);
CREATE INDEX verdicts_to ON verdicts (to_digest);
CREATE INDEX verdicts_profile ON verdicts (server_id, profile);
CREATE INDEX verdicts_release ON verdicts (release_id);

CREATE TABLE threads (
    id          TEXT PRIMARY KEY,
    server_id   TEXT NOT NULL REFERENCES servers (id),
    profile     TEXT NOT NULL,
    release_id  TEXT NOT NULL REFERENCES releases (id),
    revision    BIGINT NOT NULL,
    tool        BYTEA NOT NULL,
    digest      BYTEA NOT NULL,
    pointer     BYTEA NOT NULL,
    side        TEXT NOT NULL,
    quote       BYTEA NOT NULL,
    blocks      BOOLEAN NOT NULL,
    opened_by   TEXT NOT NULL,
    opened_at   BIGINT NOT NULL,
    resolved_by TEXT NOT NULL,
    resolved_at BIGINT NOT NULL
);
CREATE INDEX threads_profile ON threads (server_id, profile, opened_at);
CREATE INDEX threads_release ON threads (release_id);

CREATE TABLE comments (
    id        TEXT PRIMARY KEY,
    thread_id TEXT NOT NULL REFERENCES threads (id),
    user_id   TEXT NOT NULL,
    at        BIGINT NOT NULL,
    body      TEXT NOT NULL
);
CREATE INDEX comments_thread ON comments (thread_id, at, id);

CREATE TABLE users (
    id            TEXT PRIMARY KEY,
    email         TEXT NOT NULL,
    email_folded  TEXT NOT NULL UNIQUE,
    name          TEXT NOT NULL,
    password_hash TEXT NOT NULL,
    invited_by    TEXT NOT NULL,
    created_at    BIGINT NOT NULL,
    disabled_at   BIGINT NOT NULL
);

-- server_id is '' for a role on every server.
CREATE TABLE memberships (
    user_id   TEXT NOT NULL REFERENCES users (id),
    n         BIGINT NOT NULL,
    server_id TEXT NOT NULL,
    role      TEXT NOT NULL,
    PRIMARY KEY (user_id, n)
);

CREATE TABLE tokens (
    id         TEXT PRIMARY KEY,
    hash       BYTEA NOT NULL UNIQUE,
    hint       TEXT NOT NULL,
    name       TEXT NOT NULL,
    server_id  TEXT NOT NULL,
    user_id    TEXT NOT NULL,
    scopes     TEXT NOT NULL,
    from_shell BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    last_used  BIGINT NOT NULL,
    revoked_at BIGINT NOT NULL
);
CREATE INDEX tokens_user ON tokens (user_id);

CREATE TABLE links (
    hash       BYTEA PRIMARY KEY,
    kind       TEXT NOT NULL,
    user_id    TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at    BIGINT NOT NULL
);

CREATE TABLE sessions (
    token_hash BYTEA PRIMARY KEY,
    user_id    TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    data       BYTEA NOT NULL
);
CREATE INDEX sessions_user ON sessions (user_id);
CREATE INDEX sessions_expiry ON sessions (expires_at);

-- replay is the SHA-256 of the webhook id of an accepted delivery, else NULL.
CREATE TABLE deliveries (
    id          TEXT PRIMARY KEY,
    server_id   TEXT NOT NULL,
    slug        BYTEA NOT NULL,
    webhook_id  BYTEA NOT NULL,
    replay      BYTEA,
    body_hash   BYTEA NOT NULL,
    body_bytes  BIGINT NOT NULL,
    via         TEXT NOT NULL,
    by_label    TEXT NOT NULL,
    verified    BOOLEAN NOT NULL,
    status      BIGINT NOT NULL,
    outcome     BYTEA NOT NULL,
    listing_id  TEXT NOT NULL,
    release_id  TEXT NOT NULL,
    remote_addr TEXT NOT NULL,
    received_at BIGINT NOT NULL,
    params      TEXT NOT NULL,
    problems    TEXT NOT NULL,
    answer      BYTEA NOT NULL,
    UNIQUE (server_id, replay)
);
CREATE INDEX deliveries_server ON deliveries (server_id, received_at, id);
CREATE INDEX deliveries_received ON deliveries (received_at, id);

-- How many deliveries a day could not be verified; only samples of those are
-- kept as deliveries.
CREATE TABLE unverified (
    server_id TEXT NOT NULL,
    day       TEXT NOT NULL,
    n         BIGINT NOT NULL,
    PRIMARY KEY (server_id, day)
);

-- key is the SHA-256 of a report key.
CREATE TABLE reports (
    key    BYTEA PRIMARY KEY,
    kind   TEXT NOT NULL,
    engine TEXT NOT NULL,
    body   BYTEA NOT NULL
);

CREATE TABLE audit (
    id        TEXT PRIMARY KEY,
    at        BIGINT NOT NULL,
    actor_id  TEXT NOT NULL,
    actor     TEXT NOT NULL,
    via       TEXT NOT NULL,
    addr      TEXT NOT NULL,
    act       TEXT NOT NULL,
    server_id TEXT NOT NULL,
    subject   BYTEA NOT NULL,
    before    TEXT NOT NULL,
    after     TEXT NOT NULL
);
CREATE INDEX audit_server ON audit (server_id, at, id);
CREATE INDEX audit_at ON audit (at, id);
