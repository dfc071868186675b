-- What somebody wrote into the settings of a server and did not save yet. body is JSON.
CREATE TABLE server_drafts (
    user_id    TEXT NOT NULL REFERENCES users (id),
    server_id  TEXT NOT NULL REFERENCES servers (id),
    target     TEXT NOT NULL,
    updated_at BIGINT NOT NULL,
    body       BYTEA NOT NULL,
    PRIMARY KEY (user_id, server_id, target)
);
