-- A hotfix of an older version is released beside the line that the profile is on: what
-- comes next on that line is still compared with what was released last there.
ALTER TABLE releases ADD COLUMN released_aside BOOLEAN NOT NULL DEFAULT FALSE;
UPDATE releases SET released_aside = TRUE WHERE released_at > 0 AND predecessor_confirmed_by <> '' AND released_base_id <> ''
	AND released_base_id <> (SELECT l.id FROM releases l WHERE l.server_id = releases.server_id AND l.profile = releases.profile
		AND l.released_at > 0 AND l.released_at < releases.released_at AND l.released_override = ''
		AND (l.withdrawn_at = 0 OR l.withdrawn_at > releases.released_at)
		ORDER BY l.released_at DESC, l.id DESC LIMIT 1);
-- What was released on the line after such a hotfix is on the line.
UPDATE releases SET released_aside = FALSE WHERE released_aside
	AND released_base_id = (SELECT l.id FROM releases l WHERE l.server_id = releases.server_id AND l.profile = releases.profile
		AND l.released_at > 0 AND l.released_at < releases.released_at AND l.released_override = '' AND NOT l.released_aside
		AND (l.withdrawn_at = 0 OR l.withdrawn_at > releases.released_at)
		ORDER BY l.released_at DESC, l.id DESC LIMIT 1);
