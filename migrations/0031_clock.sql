-- What the hourly run last saw of the clock, in one row, so that a clock that jumps ahead
-- makes nothing old before it was proved by time that passed.
CREATE TABLE seen_clock (
    id TEXT PRIMARY KEY,
    seen_at BIGINT NOT NULL,
    doubted_at BIGINT NOT NULL
);
