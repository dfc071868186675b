-- Second factors: the secret that a person's app shares with us, sealed under a key
-- derived from SECRET, and the last 30-second step that was used, so that no code
-- works twice. Recovery codes are kept as hashes; each works once.
ALTER TABLE users ADD COLUMN second_factor_at BIGINT NOT NULL DEFAULT 0;
CREATE TABLE second_factors (
    user_id      TEXT PRIMARY KEY REFERENCES users (id),
    created_at   BIGINT NOT NULL,
    confirmed_at BIGINT NOT NULL,
    last_step    BIGINT NOT NULL,
    sealed       BYTEA NOT NULL
);
CREATE TABLE recovery_codes (
    user_id TEXT NOT NULL REFERENCES users (id),
    hash    BYTEA NOT NULL,
    used_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, hash)
);
