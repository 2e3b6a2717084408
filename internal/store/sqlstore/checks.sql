-- Questions whose rows are what is wrong.

SELECT 'document ' || d.id || ' counts ' || d.chunk_count || ' chunks, there are ' || count(c.id)
FROM documents d LEFT JOIN chunks c ON c.owner_id = d.owner_id AND c.document_id = d.id GROUP BY d.owner_id, d.id HAVING count(c.id) <> d.chunk_count;

SELECT 'chunk ' || c.id || ' is in node ' || c.node_id || ', its document in ' || d.node_id
FROM chunks c JOIN documents d ON d.owner_id = c.owner_id AND d.id = c.document_id
WHERE c.node_id <> d.node_id;

SELECT 'chunk ' || c.id || ' belongs to message ' || c.message_id || ', which is not there'
FROM chunks c
WHERE c.message_id <> '' AND NOT EXISTS (SELECT 1 FROM messages m
WHERE m.owner_id = c.owner_id AND m.id = c.message_id);

SELECT 'conversation ' || v.id || ' counts ' || v.message_count || ' messages, there are ' || count(m.id)
FROM conversations v LEFT JOIN messages m ON m.owner_id = v.owner_id AND m.conversation_id = v.id AND NOT EXISTS (SELECT 1 FROM documents d
WHERE d.owner_id = m.owner_id AND d.id = m.document_id AND d.buried_at > 0) GROUP BY v.owner_id, v.id HAVING count(m.id) <> v.message_count;

SELECT 'document ' || d.id || ' follows ' || d.previous_id || ', which is not there'
FROM documents d
WHERE d.previous_id <> '' AND NOT EXISTS (SELECT 1 FROM documents p
WHERE p.owner_id = d.owner_id AND p.id = d.previous_id);

SELECT 'document ' || d.id || ' is the latest and has a newer version'
FROM documents d
WHERE d.is_latest = 1 AND d.buried_at = 0 AND EXISTS (SELECT 1 FROM documents p
WHERE p.owner_id = d.owner_id AND p.previous_id = d.id AND p.previous_id <> '' AND p.buried_at = 0);

SELECT 'node ' || n.id || ' has the path ' || n.path || ', its parent ' || p.path
FROM nodes n JOIN nodes p ON p.owner_id = n.owner_id AND p.id = n.parent_id
WHERE n.path NOT LIKE CASE p.path WHEN '' THEN '%' ELSE replace(p.path, '_', '%') || '.%' END OR n.depth <> p.depth + 1;

SELECT 'record ' || id || ' of ' || owner_id || ' holds what is not JSON'
FROM (SELECT owner_id, id, tags, metadata FROM documents UNION ALL SELECT owner_id, id, tags, metadata FROM memories UNION ALL SELECT owner_id, id, NULL, metadata FROM messages) x
WHERE NOT json_valid(coalesce(tags, '[]')) OR NOT json_valid(coalesce(metadata, '{}'))
;

SELECT 'an edge of type ' || e.type || ' leads from ' || e.source_id || ' to ' || e.target_id || ', which are not both there'
FROM edges e
WHERE NOT EXISTS (SELECT 1 FROM documents x WHERE x.owner_id = e.owner_id AND x.id = e.source_id)
 AND NOT EXISTS (SELECT 1 FROM memories x WHERE x.owner_id = e.owner_id AND x.id = e.source_id)
 AND NOT EXISTS (SELECT 1 FROM messages x WHERE x.owner_id = e.owner_id AND x.id = e.source_id)
 AND NOT EXISTS (SELECT 1 FROM conversations x WHERE x.owner_id = e.owner_id AND x.id = e.source_id)
 AND NOT EXISTS (SELECT 1 FROM nodes x WHERE x.owner_id = e.owner_id AND x.id = e.source_id)
 AND NOT EXISTS (SELECT 1 FROM entities x WHERE x.owner_id = e.owner_id AND x.id = e.source_id)
 OR NOT EXISTS (SELECT 1 FROM documents x WHERE x.owner_id = e.owner_id AND x.id = e.target_id)
 AND NOT EXISTS (SELECT 1 FROM memories x WHERE x.owner_id = e.owner_id AND x.id = e.target_id)
 AND NOT EXISTS (SELECT 1 FROM messages x WHERE x.owner_id = e.owner_id AND x.id = e.target_id)
 AND NOT EXISTS (SELECT 1 FROM conversations x WHERE x.owner_id = e.owner_id AND x.id = e.target_id)
 AND NOT EXISTS (SELECT 1 FROM nodes x WHERE x.owner_id = e.owner_id AND x.id = e.target_id)
 AND NOT EXISTS (SELECT 1 FROM entities x WHERE x.owner_id = e.owner_id AND x.id = e.target_id);

SELECT 'entity ' || a.id || ' is there, its last mention is not'
FROM entities a
WHERE a.gone_at IS NULL AND EXISTS (SELECT 1 FROM edges e WHERE e.owner_id = a.owner_id AND e.target_id = a.id AND e.type = 'mentions')
 AND NOT EXISTS (SELECT 1 FROM edges e WHERE e.owner_id = a.owner_id AND e.target_id = a.id AND e.type = 'mentions' AND e.gone_at IS NULL);

SELECT 'memory ' || y.id || ' lies in the trash with ' || y.buried_with || ', which does not'
FROM memories y
WHERE y.buried_at > 0 AND y.buried_with <> '' AND NOT EXISTS (SELECT 1 FROM documents d WHERE d.owner_id = y.owner_id AND d.id = y.buried_with AND d.buried_at > 0);

SELECT 'document ' || d.id || ' lies in the trash with ' || d.buried_with || ', which does not'
FROM documents d
WHERE d.buried_at > 0 AND d.buried_with <> '' AND NOT EXISTS (SELECT 1 FROM conversations v WHERE v.owner_id = d.owner_id AND v.id = d.buried_with AND v.buried_at > 0);

SELECT 'segment ' || g.document_id || ' is not marked as one of conversation ' || g.conversation_id
FROM segments g
WHERE NOT EXISTS (SELECT 1 FROM documents d WHERE d.owner_id = g.owner_id AND d.id = g.document_id AND d.segment_of = g.conversation_id);

SELECT 'member ' || m.user_id || ' of ' || m.owner_id || ' is no user'
FROM members m
WHERE m.user_id NOT IN (SELECT u.owner_id FROM users u);

SELECT 'key ' || k.id || ' is of ' || k.member_id || ', who is no member of ' || k.owner_id
FROM api_keys k
WHERE k.member_id <> '' AND k.revoked_at IS NULL AND NOT EXISTS (SELECT 1 FROM members m WHERE m.owner_id = k.owner_id AND m.user_id = k.member_id)
