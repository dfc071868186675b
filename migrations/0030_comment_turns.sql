-- When people wrote or edited a comment in the hour that is past, so that several instances
-- share one limit. Older rows go with the next one of the same person.
CREATE TABLE comment_turns (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id),
    at BIGINT NOT NULL
);
CREATE INDEX comment_turns_user ON comment_turns (user_id, at);
