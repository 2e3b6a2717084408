-- How many documents and memories a container has is counted in an index alone, instead of reading every row of a partition.

DROP INDEX documents_node;
CREATE INDEX documents_node ON documents (owner_id, node_id, created_at, id, is_latest, segment_of, buried_at);
DROP INDEX memories_node;
CREATE INDEX memories_node ON memories (owner_id, node_id, recorded_at, id, is_latest, state, buried_at);

-- So is how often somebody is mentioned.

DROP INDEX edges_target;
CREATE INDEX edges_target ON edges (owner_id, target_id, type, gone_at, source_kind);
