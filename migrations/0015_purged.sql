-- Listings that held a text which was purged: their bytes no longer have their
-- hash, and their page says why.
CREATE TABLE purged (
    listing_id TEXT NOT NULL REFERENCES listings (id),
    at         BIGINT NOT NULL,
    by_label   TEXT NOT NULL,
    reason     TEXT NOT NULL,
    PRIMARY KEY (listing_id, at)
);
