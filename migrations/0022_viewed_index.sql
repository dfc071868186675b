-- Which changes anybody has looked at, asked for those of one release.
CREATE INDEX viewed_change ON viewed (server_id, profile, change_id);
