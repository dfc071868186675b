-- Proof: the audit as a chain that others can check, and the keys that sign.

-- Who this database is, in everything that it signs.
CREATE TABLE instance (
    id      TEXT PRIMARY KEY,
    made_at BIGINT NOT NULL
);

-- The public halves of the signing keys, numbered from 1. The private ones are
-- never in the database. rotation is the signed statement by which a key followed
-- the one before it, '' of the first.
CREATE TABLE signing_keys (
    id       TEXT PRIMARY KEY,
    n        BIGINT NOT NULL UNIQUE,
    public   TEXT NOT NULL,
    since    BIGINT NOT NULL,
    until    BIGINT NOT NULL,
    rotation TEXT NOT NULL
);

-- Acts that are not in the chain yet. They are put here in the transaction of the
-- act, so that acts don't queue for the end of the chain; one sealer moves them.
-- What was done before there was a chain is sealed at its beginning.
CREATE TABLE audit_pending (
    id TEXT PRIMARY KEY REFERENCES audit (id)
);
INSERT INTO audit_pending (id) SELECT id FROM audit;

CREATE TABLE audit_chain (
    seq        BIGINT PRIMARY KEY,
    audit_id   TEXT NOT NULL UNIQUE REFERENCES audit (id),
    row_digest BYTEA NOT NULL,
    hash       BYTEA NOT NULL
);

CREATE TABLE audit_checkpoints (
    seq      BIGINT PRIMARY KEY,
    hash     BYTEA NOT NULL,
    at       BIGINT NOT NULL,
    key_id   TEXT NOT NULL,
    envelope TEXT NOT NULL
);

CREATE INDEX audit_label ON audit (actor, at, id);
CREATE INDEX audit_act ON audit (act, at, id);
