-- Links that ended long ago are forgotten, oldest first.
CREATE INDEX links_expiry ON links (expires_at);
