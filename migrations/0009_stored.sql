-- How many bytes came in with a listing, to hold a server to its share: its
-- envelope, its references, and the definitions that nobody had sent before. Of
-- those from before only the first two are known.
ALTER TABLE listings ADD COLUMN stored BIGINT NOT NULL DEFAULT 0;
UPDATE listings SET stored = octet_length(envelope) + octet_length(refs);
CREATE INDEX listings_stored ON listings (server_id, stored);
