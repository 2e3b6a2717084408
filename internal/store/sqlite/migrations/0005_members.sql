-- Who belongs to an organisation, and as what. An organisation is an owner whose id begins with org_; the key of a member stands
-- among the organisation's, and names the member.

ALTER TABLE api_keys ADD COLUMN member_id TEXT NOT NULL DEFAULT ''; -- the user whose role bounds it, '' for a key of the owner

CREATE TABLE members (
  owner_id   TEXT NOT NULL REFERENCES users (owner_id), -- the organisation
  user_id    TEXT NOT NULL,
  role       TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'member', 'viewer')),
  added_by   TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  changed_at INTEGER NOT NULL, -- when the role was last given
  PRIMARY KEY (owner_id, user_id)
);
CREATE INDEX members_user ON members (user_id);
