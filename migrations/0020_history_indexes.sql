-- What grows with the history is not read whole: open threads and alarms of every
-- server, what is old enough to be forgotten, and what goes with it.
CREATE INDEX threads_open ON threads (opened_at, id) WHERE resolved_at = 0;
CREATE INDEX alarms_open ON alarms (at, id) WHERE cleared_at = 0;
CREATE INDEX releases_refs ON releases (created_at, id) WHERE version = '' AND released_at = 0;
CREATE INDEX notifications_read ON notifications (at, id) WHERE read_at <> 0;
CREATE INDEX revisions_listing ON revisions (listing_id);
CREATE INDEX captures_listing ON captures (listing_id);
CREATE INDEX deliveries_release ON deliveries (release_id);
CREATE INDEX notifications_release ON notifications (release_id);
CREATE INDEX drafts_release ON drafts (release_id);
CREATE INDEX looks_listing ON looks (listing_id);
CREATE INDEX looks_release ON looks (release_id);
CREATE INDEX overrides_release ON overrides (release_id);
