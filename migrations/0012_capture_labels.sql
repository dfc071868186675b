-- A machine may hand in what a host sent: then its name stands here, and user_id is ''.
ALTER TABLE captures ADD COLUMN label TEXT NOT NULL DEFAULT '';
