-- Code generated from SQLite's past.sql by go generate; DO NOT EDIT.
--
-- What a transaction for a view of a moment has before the tables on its search path: views that have their names, so that all statements
-- are the same. The moment is the setting lukasa.moment, in microseconds. Each view shows today's row where that has not changed since,
-- else what the first delta after the moment says it was. They are views of whoever asks (security_invoker), so the policies of the
-- tables hold. Deltas are read as json, not jsonb: that takes U+0000 in metadata.

DROP SCHEMA IF EXISTS {past} CASCADE;
CREATE SCHEMA {past};
REVOKE ALL ON SCHEMA {past} FROM PUBLIC;
GRANT USAGE ON SCHEMA {past} TO {app};

-- whole reads a number or a truth value, number a number, and micros a time.
CREATE FUNCTION {past}.whole(j json) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE json_typeof(j) WHEN 'number' THEN trunc((j #>> '{}')::numeric)::bigint WHEN 'boolean' THEN (j #>> '{}')::boolean::int::bigint END;

CREATE FUNCTION {past}.number(j json) RETURNS double precision LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE json_typeof(j) WHEN 'number' THEN (j #>> '{}')::double precision END;

CREATE FUNCTION {past}.micros(t text) RETURNS bigint LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (extract(epoch FROM (left(rtrim(t, 'Z'), 26) || 'Z')::timestamptz) * 1000000)::bigint;

CREATE FUNCTION {past}.list(j json) RETURNS TABLE (value json, key bigint) LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
  SELECT e.value, e.n - 1 FROM json_array_elements(CASE json_typeof(j) WHEN 'array' THEN j END) WITH ORDINALITY AS e(value, n);
END;

SET LOCAL search_path = {past}, {schema}, pg_temp;

CREATE VIEW {past}.documents_then WITH (security_invoker = true) AS SELECT t.*, coalesce(t.known_at, t.created_at) AS since,
 CASE WHEN t.changed_at > current_setting('lukasa.moment')::bigint THEN (SELECT h.before::json FROM {schema}.deltas h WHERE h.owner_id = t.owner_id AND h.record_id = t.id
  AND h.at > current_setting('lukasa.moment')::bigint AND h.before IS NOT NULL ORDER BY h.seq LIMIT 1) END AS was,
 CASE WHEN t.changed_at > current_setting('lukasa.moment')::bigint THEN (SELECT (h.op = 'create')::int FROM {schema}.deltas h WHERE h.owner_id = t.owner_id AND h.record_id = t.id
  AND h.at > current_setting('lukasa.moment')::bigint AND h.op IN ('create', 'delete') ORDER BY h.seq LIMIT 1) ELSE 0 END AS void
FROM {schema}.documents t;

-- The first delta is joined, not selected, so that it is looked up once a memory and not once a column. It is that of a memory which was known
-- then and has changed since alone: what stands beside it in ON would be asked after the look-up.
CREATE VIEW {past}.memories_then WITH (security_invoker = true) AS SELECT t.*, coalesce(t.known_at, t.recorded_at) AS since, f.before::json AS was,
 CASE WHEN t.changed_at > current_setting('lukasa.moment')::bigint THEN (SELECT (h.op = 'create')::int FROM {schema}.deltas h WHERE h.owner_id = t.owner_id AND h.record_id = t.id
  AND h.at > current_setting('lukasa.moment')::bigint AND h.op IN ('create', 'delete') ORDER BY h.seq LIMIT 1) ELSE 0 END AS void
FROM {schema}.memories t LEFT JOIN {schema}.deltas f ON f.owner_id = t.owner_id AND f.seq = CASE WHEN t.changed_at > current_setting('lukasa.moment')::bigint
 AND coalesce(t.known_at, t.recorded_at) <= current_setting('lukasa.moment')::bigint THEN (SELECT h.seq FROM {schema}.deltas h
 WHERE h.owner_id = t.owner_id AND h.record_id = t.id AND h.at > current_setting('lukasa.moment')::bigint AND h.before IS NOT NULL ORDER BY h.seq LIMIT 1) END;

CREATE VIEW {past}.memories WITH (security_invoker = true) AS SELECT owner_id, id, node_id, recorded_at,
 CASE WHEN was IS NULL THEN kind ELSE coalesce(was #>> '{kind}', '') END AS kind,
 CASE WHEN was IS NULL THEN content ELSE coalesce(was #>> '{content}', '') END AS content,
 CASE WHEN was IS NULL THEN slot ELSE coalesce(was #>> '{slot}', '') END AS slot,
 CASE WHEN was IS NULL THEN value ELSE coalesce(was #>> '{value}', '') END AS value,
 CASE WHEN was IS NULL THEN subject ELSE coalesce(was #>> '{subject}', '') END AS subject,
 CASE WHEN was IS NULL THEN origin ELSE coalesce(was #>> '{origin}', '') END AS origin,
 CASE WHEN was IS NULL THEN extractor ELSE coalesce(was #>> '{extractor}', '') END AS extractor,
 CASE WHEN was IS NULL THEN state ELSE coalesce(was #>> '{state}', '') END AS state,
 CASE WHEN was IS NULL THEN key ELSE coalesce(was #>> '{key}', '') END AS key,
 CASE WHEN was IS NULL THEN retired_by ELSE coalesce(was #>> '{retired_by}', '') END AS retired_by,
 CASE WHEN was IS NULL THEN reason ELSE coalesce(was #>> '{reason}', '') END AS reason,
 CASE WHEN was IS NULL THEN tags ELSE was #>> '{tags}' END AS tags,
 CASE WHEN was IS NULL THEN metadata ELSE was #>> '{metadata}' END AS metadata,
 CASE WHEN was IS NULL THEN entities ELSE was #>> '{entities}' END AS entities,
 CASE WHEN was IS NULL THEN confidence ELSE coalesce(number(was #> '{confidence}'), 0) END AS confidence,
 CASE WHEN was IS NULL THEN is_latest ELSE coalesce(whole(was #> '{is_latest}'), 0) END AS is_latest,
 CASE WHEN was IS NULL THEN occurred_at ELSE micros(was #>> '{occurred_at}') END AS occurred_at,
 CASE WHEN was IS NULL THEN valid_from ELSE micros(was #>> '{valid_from}') END AS valid_from,
 CASE WHEN was IS NULL THEN said_at WHEN was #>> '{metadata,said_at}' IS NULL THEN NULL ELSE coalesce(micros(was #>> '{said_at}'), said_at) END AS said_at,
 CASE WHEN was IS NULL THEN valid_to ELSE micros(was #>> '{valid_to}') END AS valid_to,
 CASE WHEN was IS NULL THEN retired_at ELSE micros(was #>> '{retired_at}') END AS retired_at,
 CASE WHEN was IS NULL THEN updated_at ELSE micros(was #>> '{updated_at}') END AS updated_at,
 CASE WHEN was IS NULL THEN forget_after ELSE micros(was #>> '{forget_after}') END AS forget_after,
 CASE WHEN coalesce(void, 0) <> 0 THEN since WHEN buried_at <= current_setting('lukasa.moment')::bigint THEN buried_at ELSE 0 END AS buried_at, buried_with
FROM memories_then WHERE since <= current_setting('lukasa.moment')::bigint;

CREATE VIEW {past}.memory_sources WITH (security_invoker = true) AS SELECT s.* FROM {schema}.memory_sources s
WHERE NOT EXISTS (SELECT 1 FROM memories_then y WHERE y.owner_id = s.owner_id AND y.id = s.memory_id AND y.was IS NOT NULL)
UNION ALL SELECT y.owner_id, y.id, j.key, coalesce(j.value #>> '{document_id}', ''), coalesce(j.value #>> '{message_id}', ''), whole(j.value #> '{start}'),
 whole(j.value #> '{end}'), coalesce(j.value #>> '{quote}', '')
FROM memories_then y, list(y.was #> '{sources}') j WHERE y.changed_at > current_setting('lukasa.moment')::bigint;

-- A node that was not there yet may hold what was: it is left out where nodes themselves are asked for, by known_at.
CREATE VIEW {past}.nodes_then WITH (security_invoker = true) AS SELECT t.*, coalesce(t.known_at, t.created_at) AS since,
 CASE WHEN t.changed_at > current_setting('lukasa.moment')::bigint THEN (SELECT h.before::json FROM {schema}.deltas h WHERE h.owner_id = t.owner_id AND h.record_id = t.id
  AND h.at > current_setting('lukasa.moment')::bigint AND h.before IS NOT NULL ORDER BY h.seq LIMIT 1) END AS was,
 CASE WHEN t.changed_at > current_setting('lukasa.moment')::bigint THEN (SELECT (h.op = 'create')::int FROM {schema}.deltas h WHERE h.owner_id = t.owner_id AND h.record_id = t.id
  AND h.at > current_setting('lukasa.moment')::bigint AND h.op IN ('create', 'delete') ORDER BY h.seq LIMIT 1) ELSE 0 END AS void
FROM {schema}.nodes t;

CREATE VIEW {past}.nodes WITH (security_invoker = true) AS SELECT owner_id, id, parent_id, path, depth, version, created_at, since AS known_at,
 CASE WHEN was IS NULL THEN name ELSE coalesce(was #>> '{name}', '') END AS name,
 CASE WHEN was IS NULL THEN type ELSE coalesce(was #>> '{type}', '') END AS type,
 CASE WHEN was IS NULL THEN description ELSE coalesce(was #>> '{description}', '') END AS description,
 CASE WHEN was IS NULL THEN summary ELSE coalesce(was #>> '{summary}', '') END AS summary,
 CASE WHEN was IS NULL THEN kw_entities ELSE was #>> '{keywords,entities}' END AS kw_entities,
 CASE WHEN was IS NULL THEN kw_topics ELSE was #>> '{keywords,topics}' END AS kw_topics,
 CASE WHEN was IS NULL THEN kw_dates ELSE was #>> '{keywords,dates}' END AS kw_dates,
 CASE WHEN was IS NULL THEN kw_relationships ELSE was #>> '{keywords,relationships}' END AS kw_relationships,
 CASE WHEN was IS NULL THEN updated_at ELSE micros(was #>> '{updated_at}') END AS updated_at
FROM nodes_then;

CREATE VIEW {past}.messages_then WITH (security_invoker = true) AS SELECT t.*, coalesce(t.known_at, t.created_at) AS since,
 CASE WHEN t.changed_at > current_setting('lukasa.moment')::bigint THEN (SELECT h.before::json FROM {schema}.deltas h WHERE h.owner_id = t.owner_id AND h.record_id = t.id
  AND h.at > current_setting('lukasa.moment')::bigint AND h.before IS NOT NULL ORDER BY h.seq LIMIT 1) END AS was,
 CASE WHEN t.changed_at > current_setting('lukasa.moment')::bigint THEN (SELECT (h.op = 'create')::int FROM {schema}.deltas h WHERE h.owner_id = t.owner_id AND h.record_id = t.id
  AND h.at > current_setting('lukasa.moment')::bigint AND h.op IN ('create', 'delete') ORDER BY h.seq LIMIT 1) ELSE 0 END AS void
FROM {schema}.messages t;

CREATE VIEW {past}.messages WITH (security_invoker = true) AS SELECT owner_id, id, conversation_id, document_id, node_id, seq, created_at,
 CASE WHEN was IS NULL THEN external_id ELSE coalesce(was #>> '{external_id}', '') END AS external_id,
 CASE WHEN was IS NULL THEN role ELSE coalesce(was #>> '{role}', '') END AS role,
 CASE WHEN was IS NULL THEN speaker ELSE coalesce(was #>> '{speaker}', '') END AS speaker,
 CASE WHEN was IS NULL THEN session ELSE coalesce(was #>> '{session}', '') END AS session,
 CASE WHEN was IS NULL THEN content ELSE coalesce(was #>> '{content}', '') END AS content,
 CASE WHEN was IS NULL THEN metadata ELSE was #>> '{metadata}' END AS metadata,
 CASE WHEN was IS NULL THEN forget_after ELSE micros(was #>> '{forget_after}') END AS forget_after,
 CASE WHEN was IS NULL THEN tokens ELSE coalesce(whole(was #> '{tokens}'), 0) END AS tokens,
 CASE WHEN was IS NULL THEN time ELSE micros(was #>> '{time}') END AS time
FROM messages_then WHERE since <= current_setting('lukasa.moment')::bigint;

-- The text that a document had; none where it had not come yet.
CREATE VIEW {past}.contents WITH (security_invoker = true) AS SELECT t.owner_id, t.document_id, CASE WHEN (SELECT d.was IS NULL OR coalesce(d.was #>> '{content_hash}', '') = d.content_hash
  FROM documents_then d WHERE d.owner_id = t.owner_id AND d.id = t.document_id) THEN t.content
 ELSE (SELECT h.before::json #>> '{content}' FROM {schema}.deltas h WHERE h.owner_id = t.owner_id AND h.record_id = t.document_id AND h.at > current_setting('lukasa.moment')::bigint
  AND h.before::json #>> '{content}' IS NOT NULL ORDER BY h.seq LIMIT 1) END AS content
FROM {schema}.contents t;

-- Chunks are here until their text is replaced, and then among the old ones. Where it is not known since when they were there, those of a
-- text that has been replaced since are left out, and those of a message came with it.
CREATE VIEW {past}.chunks WITH (security_invoker = true) AS SELECT t.* FROM {schema}.chunks t WHERE CASE WHEN t.known_at IS NOT NULL THEN t.known_at <= current_setting('lukasa.moment')::bigint
 WHEN t.message_id <> '' THEN EXISTS (SELECT 1 FROM messages_then m WHERE m.owner_id = t.owner_id AND m.id = t.message_id AND m.since <= current_setting('lukasa.moment')::bigint
  AND (m.was IS NULL OR coalesce(m.was #>> '{content}', '') = m.content))
 ELSE NOT EXISTS (SELECT 1 FROM documents_then d WHERE d.owner_id = t.owner_id AND d.id = t.document_id AND coalesce(d.was #>> '{content_hash}', '') <> d.content_hash
  AND d.was IS NOT NULL) END;

CREATE VIEW {past}.old_chunks WITH (security_invoker = true) AS SELECT t.* FROM {schema}.old_chunks t WHERE t.gone_at > current_setting('lukasa.moment')::bigint AND CASE WHEN t.known_at IS NOT NULL
 THEN t.known_at <= current_setting('lukasa.moment')::bigint ELSE t.message_id = '' OR EXISTS (SELECT 1 FROM messages_then m WHERE m.owner_id = t.owner_id AND m.id = t.message_id
  AND m.since <= current_setting('lukasa.moment')::bigint) END;

-- What a document is cut into was counted today, unless it has changed since; a stretch of a conversation changes with each message.
CREATE VIEW {past}.documents_cut WITH (security_invoker = true) AS SELECT t.*, t.changed_at > current_setting('lukasa.moment')::bigint OR t.segment_of <> '' AS grown,
 (SELECT count(*) FROM chunks c WHERE c.owner_id = t.owner_id AND c.document_id = t.id) + (SELECT count(*) FROM old_chunks c WHERE c.owner_id = t.owner_id AND c.document_id = t.id) AS pieces
FROM documents_then t;

CREATE VIEW {past}.documents WITH (security_invoker = true) AS SELECT owner_id, id, node_id, status, reason, segment_of,
 CASE WHEN summary_at > current_setting('lukasa.moment')::bigint THEN 0 ELSE summary_entry END AS summary_entry,
 CASE WHEN grown THEN pieces ELSE chunk_count END AS chunk_count, CASE WHEN grown AND embedded_count > pieces THEN pieces ELSE embedded_count END AS embedded_count, created_at,
 last_accessed_at, access_count,
 CASE WHEN was IS NULL THEN title ELSE coalesce(was #>> '{title}', '') END AS title,
 CASE WHEN was IS NULL THEN content_type ELSE coalesce(was #>> '{content_type}', '') END AS content_type,
 CASE WHEN was IS NULL THEN language ELSE coalesce(was #>> '{language}', '') END AS language,
 CASE WHEN was IS NULL THEN category ELSE coalesce(was #>> '{category}', '') END AS category,
 CASE WHEN was IS NULL THEN summary ELSE coalesce(was #>> '{summary}', '') END AS summary,
 CASE WHEN was IS NULL THEN source_url ELSE coalesce(was #>> '{source_url}', '') END AS source_url,
 CASE WHEN was IS NULL THEN custom_id ELSE coalesce(was #>> '{custom_id}', '') END AS custom_id,
 CASE WHEN was IS NULL THEN origin ELSE coalesce(was #>> '{origin}', '') END AS origin,
 CASE WHEN was IS NULL THEN content_hash ELSE coalesce(was #>> '{content_hash}', '') END AS content_hash,
 CASE WHEN was IS NULL THEN previous_id ELSE coalesce(was #>> '{previous_id}', '') END AS previous_id,
 CASE WHEN was IS NULL THEN title_fold ELSE lower((was #>> '{title}') COLLATE "C") END AS title_fold,
 CASE WHEN was IS NULL THEN kw_entities ELSE was #>> '{keywords,entities}' END AS kw_entities,
 CASE WHEN was IS NULL THEN kw_topics ELSE was #>> '{keywords,topics}' END AS kw_topics,
 CASE WHEN was IS NULL THEN kw_dates ELSE was #>> '{keywords,dates}' END AS kw_dates,
 CASE WHEN was IS NULL THEN kw_relationships ELSE was #>> '{keywords,relationships}' END AS kw_relationships,
 CASE WHEN was IS NULL THEN tags ELSE was #>> '{tags}' END AS tags,
 CASE WHEN was IS NULL THEN metadata ELSE was #>> '{metadata}' END AS metadata,
 CASE WHEN was IS NULL THEN size ELSE coalesce(whole(was #> '{size}'), 0) END AS size,
 CASE WHEN was IS NULL THEN version ELSE coalesce(whole(was #> '{version}'), 0) END AS version,
 CASE WHEN was IS NULL THEN is_latest ELSE coalesce(whole(was #> '{is_latest}'), 0) END AS is_latest,
 CASE WHEN was IS NULL THEN occurred_at ELSE micros(was #>> '{occurred_at}') END AS occurred_at,
 CASE WHEN was IS NULL THEN updated_at ELSE micros(was #>> '{updated_at}') END AS updated_at,
 CASE WHEN was IS NULL THEN forget_after ELSE micros(was #>> '{forget_after}') END AS forget_after,
 CASE WHEN buried_at <= current_setting('lukasa.moment')::bigint THEN buried_at ELSE 0 END AS buried_at, buried_with
FROM documents_cut WHERE since <= current_setting('lukasa.moment')::bigint AND coalesce(void, 0) = 0;

CREATE VIEW {past}.segments_then WITH (security_invoker = true) AS SELECT t.*, CASE WHEN t.changed_at > current_setting('lukasa.moment')::bigint THEN (SELECT h.before::json #> '{segment}' FROM {schema}.deltas h
  WHERE h.owner_id = t.owner_id AND h.record_id = t.document_id AND h.at > current_setting('lukasa.moment')::bigint AND h.before::json #> '{segment}' IS NOT NULL ORDER BY h.seq LIMIT 1) END AS was,
 t.updated_at > current_setting('lukasa.moment')::bigint OR t.reason = '' AND EXISTS (SELECT 1 FROM {schema}.conversations v WHERE v.owner_id = t.owner_id AND v.id = t.conversation_id
  AND v.updated_at > current_setting('lukasa.moment')::bigint) AS grown
FROM {schema}.segments t WHERE t.known_at <= current_setting('lukasa.moment')::bigint;

CREATE VIEW {past}.segments WITH (security_invoker = true) AS SELECT t.owner_id, t.document_id, t.conversation_id, t.begun_at, t.updated_at,
 CASE WHEN was IS NULL THEN previous_id ELSE coalesce(was #>> '{previous_id}', '') END AS previous_id,
 CASE WHEN was IS NULL THEN state ELSE coalesce(was #>> '{status}', '') END AS state,
 CASE WHEN was IS NULL THEN reason ELSE coalesce(was #>> '{trigger}', '') END AS reason,
 CASE WHEN was IS NULL THEN detail ELSE coalesce(was #>> '{trigger_detail}', '') END AS detail,
 CASE WHEN was IS NULL THEN topic ELSE coalesce(was #>> '{topic}', '') END AS topic,
 CASE WHEN was IS NULL THEN folder ELSE coalesce(was #>> '{folder_name}', '') END AS folder,
 CASE WHEN was IS NULL THEN topic_fold ELSE lower((was #>> '{topic}') COLLATE "C") END AS topic_fold,
 CASE WHEN was IS NULL THEN folder_fold ELSE lower((was #>> '{folder_name}') COLLATE "C") END AS folder_fold,
 CASE WHEN was IS NULL THEN started_at ELSE micros(was #>> '{started_at}') END AS started_at,
 CASE WHEN was IS NULL THEN finalized_at ELSE micros(was #>> '{finalized_at}') END AS finalized_at,
 CASE WHEN grown THEN (SELECT coalesce(sum(m.tokens), 0) FROM messages m WHERE m.owner_id = t.owner_id AND m.document_id = t.document_id) ELSE tokens END AS tokens,
 CASE WHEN grown THEN (SELECT coalesce(count(*), 0) FROM messages m WHERE m.owner_id = t.owner_id AND m.document_id = t.document_id) ELSE message_count END AS message_count,
 CASE WHEN grown THEN (SELECT coalesce(min(m.seq), 0) FROM messages m WHERE m.owner_id = t.owner_id AND m.document_id = t.document_id) ELSE first_seq END AS first_seq,
 CASE WHEN grown THEN (SELECT coalesce(max(m.seq), 0) FROM messages m WHERE m.owner_id = t.owner_id AND m.document_id = t.document_id) ELSE last_seq END AS last_seq
FROM segments_then t;

-- A conversation that has gone on since: what was open of it, and when it went on last, says what was said and ended until then.
CREATE VIEW {past}.conversations_then WITH (security_invoker = true) AS SELECT t.*, t.updated_at > current_setting('lukasa.moment')::bigint AS grown,
 CASE WHEN t.changed_at > current_setting('lukasa.moment')::bigint THEN (SELECT h.before::json FROM {schema}.deltas h WHERE h.owner_id = t.owner_id AND h.record_id = t.id
  AND h.at > current_setting('lukasa.moment')::bigint AND h.before IS NOT NULL ORDER BY h.seq LIMIT 1) END AS was,
 coalesce((SELECT CASE WHEN g.reason = '' THEN d.id END FROM segments g JOIN documents d ON d.owner_id = g.owner_id AND d.id = g.document_id AND d.buried_at = 0
  WHERE g.owner_id = t.owner_id AND g.conversation_id = t.id ORDER BY g.begun_at DESC, g.document_id DESC LIMIT 1), '') AS open_id,
 (SELECT max(coalesce(m.known_at, m.created_at)) FROM {schema}.messages m WHERE m.owner_id = t.owner_id AND m.conversation_id = t.id
  AND coalesce(m.known_at, m.created_at) <= current_setting('lukasa.moment')::bigint) AS said,
 (SELECT max(h.at) FROM {schema}.messages m JOIN {schema}.deltas h ON h.owner_id = m.owner_id AND h.record_id = m.id AND h.at <= current_setting('lukasa.moment')::bigint
  WHERE m.owner_id = t.owner_id AND m.conversation_id = t.id AND m.changed_at IS NOT NULL) AS said_anew,
 (SELECT max(h.at) FROM {schema}.segments g JOIN {schema}.deltas h ON h.owner_id = g.owner_id AND h.record_id = g.document_id AND h.at <= current_setting('lukasa.moment')::bigint
  WHERE g.owner_id = t.owner_id AND g.conversation_id = t.id AND coalesce(h.before::json #>> '{segment,trigger}', '') = '' AND h.after::json #>> '{segment,trigger}' <> '') AS ended
FROM {schema}.conversations t WHERE coalesce(t.known_at, t.created_at) <= current_setting('lukasa.moment')::bigint AND 0 = coalesce((SELECT (h.op = 'create')::int FROM {schema}.deltas h
  WHERE h.owner_id = t.owner_id AND h.record_id = t.id AND h.at > current_setting('lukasa.moment')::bigint ORDER BY h.seq LIMIT 1), 0);

CREATE VIEW {past}.conversations WITH (security_invoker = true) AS SELECT t.owner_id, t.id, t.node_id, t.home_id, t.external_id, t.next_seq, t.created_at, t.buried_with,
 CASE WHEN was IS NULL THEN title ELSE coalesce(was #>> '{title}', '') END AS title,
 CASE WHEN was IS NULL THEN tags ELSE was #>> '{tags}' END AS tags,
 CASE WHEN was IS NULL THEN metadata ELSE was #>> '{metadata}' END AS metadata,
 CASE WHEN was IS NULL THEN forget_after ELSE micros(was #>> '{forget_after}') END AS forget_after,
 CASE WHEN grown THEN '' ELSE closer END AS closer, CASE WHEN grown THEN open_id ELSE document_id END AS document_id,
 CASE WHEN grown THEN coalesce((SELECT sum(m.tokens) FROM messages m WHERE m.owner_id = t.owner_id AND m.document_id = t.open_id), 0) ELSE tokens END AS tokens,
 CASE WHEN NOT grown THEN updated_at ELSE coalesce((SELECT max(x.at) FROM (SELECT t.said AS at UNION ALL SELECT t.said_anew UNION ALL SELECT t.ended) x), created_at) END AS updated_at,
 CASE WHEN grown THEN (SELECT count(*) FROM documents d JOIN {schema}.messages m ON m.owner_id = d.owner_id AND m.document_id = d.id AND m.conversation_id = t.id
  AND coalesce(m.known_at, m.created_at) <= current_setting('lukasa.moment')::bigint WHERE d.owner_id = t.owner_id AND d.segment_of = t.id AND d.segment_of <> '' AND d.buried_at = 0) ELSE t.message_count END AS message_count,
 CASE WHEN t.buried_at <= current_setting('lukasa.moment')::bigint THEN t.buried_at ELSE 0 END AS buried_at
FROM conversations_then t;

CREATE VIEW {past}.files WITH (security_invoker = true) AS SELECT t.* FROM {schema}.files t WHERE t.created_at <= current_setting('lukasa.moment')::bigint;

CREATE VIEW {past}.edges WITH (security_invoker = true) AS SELECT owner_id, source_id, target_id, type, source_kind, target_kind, weight, confidence, metadata, created_at, NULL::bigint AS gone_at
FROM {schema}.edges WHERE known_at <= current_setting('lukasa.moment')::bigint AND (gone_at IS NULL OR gone_at > current_setting('lukasa.moment')::bigint);

CREATE VIEW {past}.entities WITH (security_invoker = true) AS SELECT owner_id, id, kind, name, aliases, created_at, updated_at, NULL::bigint AS gone_at
FROM {schema}.entities WHERE known_at <= current_setting('lukasa.moment')::bigint AND (gone_at IS NULL OR gone_at > current_setting('lukasa.moment')::bigint);

CREATE VIEW {past}.deltas WITH (security_invoker = true) AS SELECT t.* FROM {schema}.deltas t WHERE t.at <= current_setting('lukasa.moment')::bigint;

SET LOCAL search_path = {schema}, pg_temp;
GRANT SELECT ON ALL TABLES IN SCHEMA {past} TO {app};
