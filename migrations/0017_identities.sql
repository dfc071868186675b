-- Who an identity provider says that somebody is. The pair of issuer and subject
-- names a person; the mail address is only what a page calls the identity by.
CREATE TABLE identities (
    issuer    TEXT NOT NULL,
    subject   TEXT NOT NULL,
    user_id   TEXT NOT NULL REFERENCES users (id),
    email     TEXT NOT NULL,
    linked_at BIGINT NOT NULL,
    PRIMARY KEY (issuer, subject)
);
CREATE INDEX identities_user ON identities (user_id);
