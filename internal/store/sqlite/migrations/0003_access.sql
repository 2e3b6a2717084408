-- Who may see what beside the owner: keys of personas and of third parties, and what is granted to them. A grant is to one
-- node, and not to what stands above or below it.

ALTER TABLE api_keys ADD COLUMN persona_id TEXT NOT NULL DEFAULT ''; -- the node that the key speaks for, '' for none
ALTER TABLE api_keys ADD COLUMN third_party INTEGER NOT NULL DEFAULT 0;

CREATE TABLE grants (
  owner_id   TEXT NOT NULL,
  id         TEXT NOT NULL,
  node_id    TEXT NOT NULL,
  grantee_id TEXT NOT NULL, -- a persona's node, or the key of a third party
  grantor_id TEXT NOT NULL,
  access     TEXT NOT NULL CHECK (access IN ('read', 'read_write')),
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  PRIMARY KEY (owner_id, id),
  FOREIGN KEY (owner_id, node_id) REFERENCES nodes (owner_id, id) ON DELETE CASCADE
);
CREATE INDEX grants_grantee ON grants (owner_id, grantee_id, node_id) WHERE revoked_at IS NULL;
CREATE INDEX grants_node ON grants (owner_id, node_id);
