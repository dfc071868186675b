-- What can be searched: of each profile the texts of the newest listing that was
-- pushed with a version. Both tables can be made anew from the listings.
CREATE TABLE search_heads (
    server_id  TEXT NOT NULL REFERENCES servers (id),
    profile    TEXT NOT NULL,
    listing_id TEXT NOT NULL REFERENCES listings (id),
    PRIMARY KEY (server_id, profile)
);

-- One row a definition. folded is in lower case and has no hidden characters; its
-- first line is the name.
CREATE TABLE search_texts (
    server_id  TEXT NOT NULL REFERENCES servers (id),
    profile    TEXT NOT NULL,
    raw_hash   BYTEA NOT NULL,
    name       BYTEA NOT NULL,
    folded     TEXT NOT NULL,
    PRIMARY KEY (server_id, profile, raw_hash)
);
