-- What hosts really sent of a listing. The request itself is never kept: body is
-- how its tools compare with the listing, and tools of others are a number in it.
CREATE TABLE captures (
    id         TEXT PRIMARY KEY,
    server_id  TEXT NOT NULL REFERENCES servers (id),
    listing_id TEXT NOT NULL REFERENCES listings (id),
    host       TEXT NOT NULL,
    version    TEXT NOT NULL,
    variant    TEXT NOT NULL,
    doubt      BIGINT NOT NULL,
    body       BYTEA NOT NULL,
    user_id    TEXT NOT NULL,
    at         BIGINT NOT NULL
);
CREATE INDEX captures_server ON captures (server_id, at, id);
