// Written by clients/generate.py from clients/verbs.json and the server's OpenAPI. Do not edit.

export interface About {
  aliases?: string[];
  counts: Counts;
  created_at: string;
  documents: Statement[];
  first_seen?: string;
  id: string;
  kind: string;
  last_seen?: string;
  memories: Statement[];
  mentions: number;
  messages: Statement[];
  name: string;
  recall_files: Item[];
  related: Named[];
  truncated: boolean;
  updated_at: string;
  where: Where[];
}

export interface AppendBody {
  container?: string;
  /** your own name for the conversation; made if it is new */
  conversation: string;
  /** a time to come; the whole conversation is removed for good then */
  forget_after?: string | Date;
  messages: readonly NewMessage[];
  /** other content under a known id replaces it */
  replace?: boolean;
}

export interface AppendResult {
  error?: string;
  external_id?: string;
  id: string;
  status: string;
}

export interface Appended {
  container: string;
  conversation: string;
  conversation_id: string;
  document_id: string;
  items: AppendResult[];
  logged: number;
  /** the stretch of the conversation that is open now; the same as document_id */
  recall_file_id: string;
  /** of the messages that are new or replaced, estimated */
  tokens_logged: number;
  /** of the open stretch so far */
  total_tokens: number;
}

export interface ArchiveBody {
  /** path of the container to archive into; none: the parent */
  into?: string;
}

export interface Archived {
  container: string;
  containers_moved: Moved[];
  conversations: number;
  conversations_renamed: Renamed[];
  documents: number;
  edges: number;
  into: string;
  into_id: string;
  memories: number;
  nodes_removed: string[];
  state: string;
  trash: number;
}

export interface Artifact {
  name: string;
  size: number;
  type: string;
  url?: string;
}

export interface Audit {
  action: string;
  actor_id: string;
  address?: string;
  at: string;
  details?: Record<string, unknown>;
  owner_id: string;
  resource: string;
}

export interface Backup {
  made_at: string;
  path: string;
}

export interface BatchItem {
  document: Receipt;
  error?: unknown;
  status: number;
}

export interface Branch {
  children: Branch[];
  container: string;
  description?: string;
  document_count: number;
  dormant?: boolean;
  id: string;
  memory_count: number;
  name: string;
  type: string;
}

export interface Brief {
  degraded?: string;
  hits: BriefHit[];
  left_out: LeftOut[];
  meant?: Meant[];
  message?: string;
  text: string;
  tokens: number;
}

export interface BriefBody {
  /** what had been saved by then */
  as_of?: string | Date;
  /** a path (its subtree), work! (it alone), work.* (its children) */
  container?: string | readonly string[];
  containers?: readonly string[];
  /** hits of less relevance are left out, 0..1, default 0.4 */
  floor?: number;
  /** forget what the session was given */
  fresh?: boolean;
  /** of what happened, was said or is dated at or after this */
  from?: string | Date;
  /** decisions, milestones, events and turning points in a block of their own; default true */
  include_defining?: boolean;
  /** o200k tokens of the text, markers included, 1-100,000, default 8,000 */
  max_tokens?: number;
  query: string;
  /** a name of yours: what it was given it is not given again, for a day after its last brief */
  session?: string;
  /** before this */
  to?: string | Date;
  /** of memories that were true then, alone */
  valid_at?: string | Date;
}

export interface BriefHit {
  clipped?: boolean;
  container: string;
  defining?: boolean;
  document_id?: string;
  id: string;
  long?: boolean;
  mark: number;
  message_id?: string;
  relevance: number;
  title?: string;
  type: string;
  when: string;
}

export interface Buried {
  deleted_at: string;
  id: string;
  label: string;
  node_id: string;
  purge_at: string;
  type: string;
}

export interface ChatBody {
  /** where it is kept; all that the key may read is recalled */
  container?: string;
  /** your own name for the conversation, default chat; made if it is new */
  conversation?: string;
  /** its id, instead */
  conversation_id?: string;
  /** your own id of the message: the same again is logged once and answered once */
  id?: string;
  /** default true */
  include_memories?: boolean;
  memory_options?: MemoryOpts;
  message: string;
  /** a model of the configured provider; none: the configured one */
  model?: string;
  session?: string;
  /** who says it */
  speaker?: string;
  /** answer with server-sent events: delta, then done or error */
  stream?: boolean;
  system_prompt?: string;
}

export interface ChatLog {
  container: string;
  conversation: string;
  conversation_id: string;
  error?: string;
  message_id: string;
  recall_file_id: string;
  tokens_logged: number;
  total_tokens: number;
}

export interface ChatReply {
  degraded?: string;
  finish_reason?: string;
  id: string;
  log: ChatLog;
  logged_to: string;
  memories_used: MemoryUsed[];
  model: string;
  replayed?: boolean;
  response: string;
  usage: ChatUsage;
}

export interface ChatUsage {
  completion_tokens: number;
  memory_tokens: number;
  prompt_tokens: number;
}

export interface Check {
  detail?: string;
  status: string;
  took_ms: number;
}

export interface Child {
  container: string;
  description?: string;
  dormant?: boolean;
  id: string;
  name: string;
  type: string;
}

export interface Chunk {
  content: string;
  document_id: string;
  end: number;
  heading?: string[];
  id: string;
  kind?: string;
  lines: number[];
  message_id?: string;
  node_id: string;
  page?: number;
  place?: string;
  seq: number;
  start: number;
  symbol?: string;
}

export interface Concept {
  aliases?: string[];
  container?: string;
  created_at: string;
  description?: string;
  distance?: number;
  dormant?: boolean;
  id: string;
  kind?: string;
  mentions?: number;
  name: string;
  recall_file_count: number;
  related_nodes: RelatedNode[];
  score?: number;
  type: string;
}

export interface Conversation {
  container: string;
  conversation: string;
  created_at: string;
  document_id: string;
  forget_after?: string;
  id: string;
  message_count: number;
  metadata: Record<string, unknown>;
  node_id: string;
  tags: string[];
  title: string;
  tokens: number;
  updated_at: string;
}

export interface ConversationPatch {
  /** where it goes, with all that was said in it and what is known from it alone; made if it is new */
  container?: string;
  /** ISO 8601, or null to keep it */
  forget_after?: string | Date | null;
  /** merged; null removes a name */
  metadata?: Record<string, unknown>;
  tags?: readonly string[];
  title?: string;
}

export interface Counts {
  containers: number;
  documents: number;
  memories: number;
  messages: number;
  recall_files: number;
}

export interface CreateDocumentsRequest {
  documents: readonly NewDocument[];
}

export interface DateRange {
  /** ISO 8601 date or time */
  end?: string | Date;
  /** ISO 8601 date or time */
  start?: string | Date;
}

export interface DefiningMemory {
  confidence: number;
  container: string;
  context: string;
  detected_at: string;
  id: string;
  is_latest: boolean;
  occurred_at?: string;
  source_message_id?: string;
  source_recall_file_id?: string;
  summary: string;
  tags: string[];
  type: string;
}

export interface Deleted {
  bytes: number;
  chunks: number;
  documents: number;
  edges: number;
  entities: number;
  files: number;
  ids: string[];
  jobs: number;
  memories: number;
  messages: number;
  nodes: number;
  /** read it again at /v1/receipts/{id} */
  receipt_id?: string;
  scrub?: Scrub;
  /** of a soft deletion: where it lies, and until when */
  trash?: Buried;
  vectors: number;
}

export interface Deletion {
  action: string;
  actor_id: string;
  node_id?: string;
  owner_id: string;
  parts?: string[];
  receipt_id: string;
  removed: Removal;
  removed_at: string;
  resource: string;
  scrub: Scrub;
  segment?: string;
  why: string;
}

export interface Delta {
  after?: unknown;
  at: string;
  authored_by: string;
  before?: unknown;
  hash: string;
  id: string;
  node_id: string;
  op: string;
  reason?: string;
  record_id: string;
  seq: number;
}

export interface Diff {
  fields: Difference[];
  from: string;
  record_id: string;
  text?: string;
  to: string;
}

export interface Difference {
  after: unknown;
  before: unknown;
  field: string;
}

export interface DoctorRequest {
  repair?: boolean;
}

export interface Document {
  access_count: number;
  category?: string;
  chunk_count: number;
  container: string;
  content?: string;
  content_hash?: string;
  content_type: string;
  created_at: string;
  custom_id?: string;
  embedded_count: number;
  forget_after?: string;
  id: string;
  is_latest: boolean;
  keywords: Keywords;
  language?: string;
  last_accessed_at?: string;
  metadata: Record<string, unknown>;
  node_id: string;
  occurred_at?: string;
  origin?: string;
  previous_id?: string;
  reason?: string;
  size: number;
  source_url?: string;
  status: string;
  summary?: string;
  tags: string[];
  title: string;
  updated_at: string;
  version: number;
}

export interface DocumentList {
  /** the same as from */
  after?: string | Date;
  all_versions?: boolean;
  /** as it was known then */
  as_of?: string | Date;
  /** the same as to */
  before?: string | Date;
  container?: string | readonly string[];
  content_type?: string | readonly string[];
  cursor?: string;
  custom_id?: string;
  /** dated at or after this, or else saved */
  from?: string | Date;
  limit?: number;
  offset?: number;
  oldest_first?: boolean;
  source_url?: string;
  status?: string | readonly string[];
  tags?: readonly string[];
  title?: string;
  /** dated before this, or else saved */
  to?: string | Date;
}

export interface DocumentPatch {
  /** ISO 8601, or null to keep it */
  forget_after?: string | Date | null;
  /** merged; null removes a name */
  metadata?: Record<string, unknown>;
  tags?: readonly string[];
  title?: string;
}

export interface Edge {
  confidence?: number;
  created_at?: string;
  metadata?: Record<string, unknown>;
  source: string;
  target: string;
  type: string;
  weight: number;
}

export interface EdgeBody {
  /** 0..1, default 1 */
  confidence?: number;
  metadata?: Record<string, unknown>;
  /** id of a container, document, message, memory, entity or conversation */
  source: string;
  target: string;
  /** contains, relates_to, mentions, discussed_in, updates, extends, derives, supersedes, references, precedes */
  type: string;
  /** default 1 */
  weight?: number;
}

export interface Entity {
  aliases?: string[];
  created_at: string;
  id: string;
  kind: string;
  mentions: number;
  name: string;
  updated_at: string;
}

export interface EntityPatch {
  aliases?: readonly string[];
  /** person, organisation, place, product, or a word of your own */
  kind?: string;
  /** the old one stays as an alias, unless aliases are given too */
  name?: string;
}

export interface Event {
  at: string;
  container?: string;
  data?: Record<string, unknown>;
  id: string;
  node_id?: string;
  record_id?: string;
  type: string;
}

export interface FaultBody {
  category: string;
  code: string;
  details: Record<string, unknown>;
  hint?: string;
  message: string;
  request_id: string;
  retryable: boolean;
}

export interface FileEvent {
  at: string;
  error?: string;
  file_id: string;
  from: string;
  size_after: number;
  size_before: number;
  to: string;
  trigger: string;
}

export interface FileInfo {
  created_at: string;
  document_id: string;
  id: string;
  last_used_at: string;
  name?: string;
  ratio: number;
  role: string;
  sealed_size: number;
  sha256: string;
  size: number;
  state: string;
  tier: string;
  type?: string;
}

export interface FileState {
  id: string;
  /** active, dormant or rehydrating */
  state: string;
  /** hot, warm or cold */
  tier: string;
}

export interface Found {
  meant?: Meant[];
  message?: string;
  nothing_relevant?: boolean;
  query: string;
  results: FoundHit[];
  /** the same as stats */
  search_stats: SearchStats;
  stats: SearchStats;
  suggestion?: string;
  total: number;
}

export interface FoundHit {
  chunk?: HitChunk;
  container: string;
  content: string;
  created_at: string;
  document?: HitDocument;
  document_content?: string;
  id: string;
  matching_chunks?: number;
  memories?: Memory[];
  memory?: Memory;
  message?: HitMessage;
  metadata: Record<string, unknown>;
  occurred_at?: string;
  parts: Record<string, number>;
  related?: Related[];
  relevance: number;
  /** the same as score */
  relevance_score: number;
  relevant?: boolean;
  score: number;
  similarity: number;
  superseded?: Superseded[];
  tags: string[];
  type: string;
}

export interface Grant {
  container: string;
  expires_at: string | null;
  grant_type: string;
  granted_at: string;
  grantor_user_id: string;
  id: string;
  revoked_at: string | null;
  subject_id: string;
  subject_type: string;
  target_node_id: string;
}

export interface HealthBody {
  checks?: Record<string, Check>;
  status: string;
  time?: string;
  uptime_seconds?: number;
  version?: string;
}

export interface Hit {
  chunk?: HitChunk;
  container: string;
  content: string;
  created_at: string;
  document?: HitDocument;
  document_content?: string;
  id: string;
  matching_chunks?: number;
  memories?: Memory[];
  memory?: Memory;
  message?: HitMessage;
  metadata: Record<string, unknown>;
  occurred_at?: string;
  parts: Record<string, number>;
  related?: Related[];
  relevance: number;
  relevant?: boolean;
  score: number;
  similarity: number;
  superseded?: Superseded[];
  tags: string[];
  type: string;
}

export interface HitChunk {
  end: number;
  heading?: string[];
  id: string;
  lines: number[];
  page?: number;
  place?: string;
  seq: number;
  start: number;
  symbol?: string;
}

export interface HitDocument {
  content_type: string;
  id: string;
  source_url?: string;
  summary?: string;
  title: string;
  version: number;
}

export interface HitMessage {
  conversation: string;
  conversation_title?: string;
  id: string;
  record_id: string;
  role?: string;
  session?: string;
  span: number[];
  speaker?: string;
  time?: string;
}

export interface Hood {
  depth: number;
  edges: Edge[];
  nodes: Near[];
  of: string[];
  truncated: boolean;
}

export interface Identity {
  key: Key;
  /** whose records the key opens, with the user's role there; without it, the user's own */
  organisation?: Standing;
  read_only: boolean;
  user: User;
}

export interface ImportAnswer {
  items: ImportResult[];
  links: number;
}

export interface ImportItem {
  /** messages of a conversation */
  append?: AppendBody;
  /** when the document was made, where it comes from */
  created_at?: string | Date;
  /** known by its custom_id */
  document?: NewDocument;
  /** its id in the export, the same in every export of the same source */
  key: string;
  /** known by the key */
  memory?: NewMemory;
  /** of the conversation */
  title?: string;
}

export interface ImportItemsRequest {
  /** of the links */
  container?: string;
  /** at most 200 */
  items?: readonly ImportItem[];
  /** from: id of a record; to: an id, a custom_id, a conversation, a key or a title */
  links?: readonly ImportLink[];
}

export interface ImportLink {
  from: string;
  to: string;
}

export interface ImportResult {
  deleted?: number;
  failed?: string;
  id?: string;
  new?: number;
  replaced?: number;
  unchanged?: number;
  waiting?: boolean;
}

export interface Item {
  at?: string;
  id: string;
  label: string;
  type: string;
}

export interface Key {
  container?: string;
  created_at: string;
  expires_at?: string;
  hint: string;
  id: string;
  last_used_at?: string;
  name: string;
  organisation_id?: string;
  persona?: string;
  read_only?: boolean;
  revoked_at?: string;
  role: string;
  third_party?: boolean;
  unlimited?: boolean;
  user_id: string;
}

export interface KeywordFrequency {
  frequency: number;
  keyword: string;
}

export interface Keywords {
  dates?: string[];
  entities?: string[];
  relationships?: string[];
  topics?: string[];
}

export interface KeywordsInput {
  dates?: readonly string[];
  entities?: readonly string[];
  relationships?: readonly string[];
  topics?: readonly string[];
}

export interface Kind {
  accepts: string;
  format: string;
  how: string;
  name: string;
  title: string;
}

export interface LeftOut {
  id: string;
  reason: string;
}

export interface Limits {
  files: number;
  requests: number;
  sessions: number;
  storage: number;
}

export interface LinkedNode {
  id: string;
  name: string;
  type: string;
}

export interface MadeKey {
  container?: string;
  created_at: string;
  expires_at?: string;
  hint: string;
  id: string;
  /** shown this once */
  key: string;
  last_used_at?: string;
  name: string;
  organisation_id?: string;
  persona?: string;
  read_only?: boolean;
  revoked_at?: string;
  role: string;
  third_party?: boolean;
  unlimited?: boolean;
  user_id: string;
}

export interface Manifest {
  conversations: number;
  documents: number;
  entities: Named[];
  memories: number;
  messages: number;
  newest: Item[];
  recall_files: number;
}

export interface Match {
  aliases?: string[];
  created_at: string;
  id: string;
  kind: string;
  mentions: number;
  name: string;
  score?: number;
  updated_at: string;
}

export interface Meant {
  memory?: string;
  name?: string;
  words?: string;
}

export interface Member {
  added_at: string;
  added_by: string;
  changed_at: string;
  name: string;
  organisation: string;
  organisation_id: string;
  role: string;
  user_id: string;
}

export interface MemberRole {
  /** member, if left out */
  role?: "owner" | "admin" | "member" | "viewer";
}

export interface Memory {
  confidence: number;
  container: string;
  content: string;
  deduplicated?: boolean;
  entities?: string[];
  extractor?: string;
  forget_after?: string;
  id: string;
  is_latest: boolean;
  kind: string;
  metadata: Record<string, unknown>;
  node_id: string;
  occurred_at?: string;
  origin?: string;
  reason?: string;
  recorded_at: string;
  retired_at?: string;
  retired_by?: string;
  slot?: string;
  sources: Source[];
  state?: string;
  subject?: string;
  tags: string[];
  updated_at: string;
  valid_from?: string;
  valid_to?: string;
  value?: string;
}

export interface MemoryOpts {
  /** default true */
  include_defining?: boolean;
  /** 1-200, default 20 */
  max_memories?: number;
  time_range?: DateRange;
  /** at most; default min(25 % of what is free in the model's window, 8,000) */
  token_budget?: number;
}

export interface MemoryPatch {
  confidence?: number;
  /** ISO 8601, or null to keep it */
  forget_after?: string | Date | null;
  kind?: string;
  /** merged; null removes a name */
  metadata?: Record<string, unknown>;
  /** archived: kept and listed, and out of searches unless they filter by status */
  state?: "active" | "archived";
  tags?: readonly string[];
}

export interface MemoryUsed {
  date: string;
  id: string;
  recall_file_id: string;
  relevance_score: number;
  topic: string;
  type: string;
}

export interface MergeBody {
  /** id of the entity that becomes one with this */
  other: string;
}

export interface Message {
  content: string;
  conversation_id: string;
  created_at: string;
  document_id: string;
  external_id?: string;
  forget_after?: string;
  id: string;
  metadata: Record<string, unknown>;
  node_id: string;
  role?: string;
  seq: number;
  session?: string;
  speaker?: string;
  time?: string;
  tokens: number;
}

export interface MessageContext {
  after: Message[];
  before: Message[];
  message: Message;
}

export interface MoveBody {
  /** the new path; what is below goes along */
  container: string;
}

export interface Moved {
  from: string;
  to: string;
}

export interface Named {
  id: string;
  kind: string;
  mentions: number;
  name: string;
}

export interface Near {
  container?: string;
  distance: number;
  dormant?: boolean;
  id: string;
  kind?: string;
  label: string;
  type: string;
}

export interface NewDocument {
  /** dotted path; none means default */
  container?: string;
  /** the text, up to 500,000 characters */
  content?: string;
  /** text, markdown, html, code, json, csv, or a media type; found out where it is not given */
  content_type?: string;
  /**
   * your own id: a later save with the same one is a new version; another one is another document, also where the
   * text is the same
   */
  custom_id?: string;
  /** the bytes of a file */
  file_base64?: string;
  filename?: string;
  /** a time to come; the document is removed for good then */
  forget_after?: string | Date;
  metadata?: Record<string, unknown>;
  /** ISO 8601 date or time */
  occurred_at?: string | Date;
  /** the same as container */
  project_id?: string;
  /** where it came from: user, agent, tool, web, import */
  source?: string;
  source_url?: string;
  tags?: readonly string[];
  title?: string;
  /** id of the document that this is a new version of */
  updates?: string;
  /** the same as updates */
  updates_memory_id?: string;
  /** an address to fetch */
  url?: string;
}

export interface NewGrant {
  /** the same */
  container?: string;
  /** when it ends; without it, when it is revoked */
  expires_at?: string | Date;
  /** read (the default) or read_write; third parties may only read */
  grant_type?: string;
  /** a persona, by the id or path of its container, or the id of a third party's key */
  subject_id: string;
  /** the container, by id or path: this one, and nothing above or below it */
  target_node_id?: string;
}

export interface NewKey {
  /** bind the key to this subtree */
  container?: string;
  /** ISO 8601 date or time */
  expires_at?: string | Date;
  name: string;
  /** a key to the records of this organisation, as far as your role there reaches */
  organisation?: string;
  /**
   * bind the key to this persona: a container of type persona, by id or path; it has that subtree and what is
   * granted to it
   */
  persona?: string;
  read_only?: boolean;
  /** user (default) or admin */
  role?: string;
  /** a key for a connected application: it reads what is granted to it, and nothing else */
  third_party?: boolean;
  /** admins only: whose key */
  user_id?: string;
}

export interface NewMemory {
  /** 0..1, default 1 */
  confidence?: number;
  container?: string;
  /** one statement */
  content: string;
  /** ISO 8601 date or time */
  forget_after?: string | Date;
  /** fact (default), preference, episode, insight, task, decision, milestone, event, turning_point */
  kind?: string;
  metadata?: Record<string, unknown>;
  /** ISO 8601 date or time */
  occurred_at?: string | Date;
  /** why */
  reason?: string;
  tags?: readonly string[];
  /** the memory that this one corrects; it stays, no longer latest */
  updates?: string;
}

export interface NewMessage {
  /** a text, or a list of parts, which are kept as one text, a line each */
  content: string | readonly unknown[];
  /** a time to come; the message is removed for good then */
  forget_after?: string | Date;
  /** your own id; the same id and content again changes nothing */
  id?: string;
  metadata?: Record<string, unknown>;
  role?: string;
  session?: string;
  speaker?: string;
  /** ISO 8601 date or time */
  time?: string | Date;
}

export interface NewNode {
  /** dotted path; missing ancestors are made */
  container: string;
  description?: string;
  /** project, topic, concept or persona */
  type?: string;
}

export interface NewOrganisation {
  name: string;
  /** the user who is its first owner; without it, you */
  owner_id?: string;
}

export interface NewUser {
  email?: string;
  external_id?: string;
  name: string;
  role?: string;
  settings?: Record<string, unknown>;
}

export interface Node {
  created_at: string;
  depth: number;
  description?: string;
  document_count: number;
  id: string;
  keywords: Keywords;
  memory_count: number;
  name: string;
  parent_id?: string;
  path: string;
  summary?: string;
  type: string;
  updated_at: string;
}

export interface NodePatch {
  description?: string;
  keywords?: KeywordsInput;
  /** as people call it; the path stays */
  name?: string;
  /** at most 200 words; empty: it follows the content again */
  summary?: string;
  /** project, topic, concept or persona */
  type?: string;
}

export interface Organisation {
  created_at: string;
  id: string;
  name: string;
  role?: string;
  settings?: Record<string, unknown>;
}

export interface OrganisationPatch {
  /** takes an owner */
  name?: string;
  /** admins of the server only; merged as those of a user: limits, retention_days */
  settings?: Record<string, unknown>;
}

export interface OwnReport {
  deleted?: number;
  documents: number;
  dry_run?: boolean;
  edges: number;
  memories: number;
  messages: number;
  no_content?: string[];
  nodes: number;
  skipped: number;
}

export interface Picture {
  edges: Edge[];
  nodes: Vertex[];
  truncated: boolean;
}

export interface Problem {
  id?: string;
  reason: string;
  where: string;
}

export interface Profile {
  container: string;
  recent_context: string[];
  relevant_memories: Hit[];
  sources: string[];
  static_facts: string[];
}

export interface ProvisionBody {
  /** one container, instead of nodes */
  container?: string;
  description?: string;
  /** 1 to 100 containers; all are made, or none */
  nodes?: readonly ProvisionNode[];
  /** project, topic, concept or persona */
  type?: string;
}

export interface ProvisionNode {
  /** dotted path, at most five levels; missing ancestors are made */
  container: string;
  description?: string;
  keywords?: KeywordsInput;
  /** as people call it; default the last part of the path */
  name?: string;
  /** at most 200 words; default: worked out from the content */
  summary?: string;
  /** project, topic, concept or persona */
  type?: string;
}

export interface PutGraphNodeRequest {
  /** of an entity */
  aliases?: readonly string[];
  description?: string;
  /** of an entity; default person */
  kind?: string;
  name: string;
  /** id or path of the container above it; null: none */
  parent_id?: string | null;
  /** project, topic, concept, persona; entity, or the kind of one */
  type?: string;
}

export interface RebuildRequest {
  containers?: string | readonly string[];
  /** next_cursor of the answer before: a long work is done in stretches of about ten seconds */
  cursor?: string;
  /** only this one */
  document_id?: string;
  what?: "summaries" | "embeddings" | "graph" | "index";
}

export interface Rebuilt {
  missing: Recovery[];
  next_cursor: string;
  records: number;
  regenerated: Record<string, number>;
  total: number;
  what: string;
}

export interface RecallFile {
  artifacts?: Artifact[];
  container: string;
  conversation: string;
  conversation_id: string;
  conversation_title?: string;
  created_at: string;
  description?: string;
  finalized_at?: string;
  folder_name: string;
  id: string;
  keyword_frequencies?: KeywordFrequency[];
  keywords?: string[];
  last_accessed_at?: string;
  linked_nodes?: LinkedNode[];
  message_count: number;
  previous_id?: string;
  status: string;
  storage_state: string;
  summary?: string;
  token_count: number;
  topic: string;
  transcript?: string;
  trigger?: string;
  trigger_detail?: string;
}

export interface Receipt {
  access_count: number;
  category?: string;
  chunk_count: number;
  container: string;
  content?: string;
  content_hash?: string;
  content_type: string;
  created_at: string;
  custom_id?: string;
  deduplicated: boolean;
  embedded_count: number;
  forget_after?: string;
  id: string;
  is_latest: boolean;
  keywords: Keywords;
  language?: string;
  last_accessed_at?: string;
  metadata: Record<string, unknown>;
  node_id: string;
  occurred_at?: string;
  origin?: string;
  previous_id?: string;
  reason?: string;
  size: number;
  source_url?: string;
  status: string;
  summary?: string;
  tags: string[];
  title: string;
  updated_at: string;
  version: number;
}

export interface Recovery {
  detail?: string;
  document_id: string;
  from?: string;
  missing?: string[];
  regenerated: string[];
}

export interface Rederivation {
  add: Memory[];
  document_id: string;
  keep: number;
  retire: Memory[];
}

export interface RederiveRequest {
  /** false: only say what would change */
  apply?: boolean;
  containers?: string | readonly string[];
  /** next_cursor of the answer before: a long work is done in stretches of about ten seconds */
  cursor?: string;
  /** only this one */
  document_id?: string;
  /** read by the configured model, and compare with what models drew, instead of the rules */
  model?: boolean;
}

export interface Rederived {
  add: number;
  applied: boolean;
  changed: number;
  changes: Rederivation[];
  documents: number;
  keep: number;
  next_cursor: string;
  retire: number;
  total: number;
  unread: Unread[];
}

export interface Related {
  edge: string;
  id: string;
  label: string;
  weight: number;
}

export interface RelatedMemory {
  confidence: number;
  container: string;
  content: string;
  deduplicated?: boolean;
  distance: number;
  edge_confidence: number;
  entities?: string[];
  extractor?: string;
  forget_after?: string;
  id: string;
  incoming: boolean;
  is_latest: boolean;
  kind: string;
  metadata: Record<string, unknown>;
  node_id: string;
  occurred_at?: string;
  origin?: string;
  reason?: string;
  recorded_at: string;
  relationship: string;
  retired_at?: string;
  retired_by?: string;
  slot?: string;
  sources: Source[];
  state?: string;
  subject?: string;
  tags: string[];
  updated_at: string;
  valid_from?: string;
  valid_to?: string;
  value?: string;
}

export interface RelatedNode {
  dormant?: boolean;
  id: string;
  name: string;
  relationship: string;
  type: string;
  weight: number;
}

export interface Removal {
  bytes: number;
  chunks: number;
  documents: number;
  edges: number;
  entities: number;
  files: number;
  ids: string[];
  jobs: number;
  memories: number;
  messages: number;
  nodes: number;
  vectors: number;
}

export interface Renamed {
  from: string;
  id: string;
  to: string;
}

export interface Report {
  conversations: number;
  documents: Tally;
  dry_run?: boolean;
  files: number;
  kind: string;
  left_out: Record<string, number>;
  links: number;
  memories: Tally;
  messages: Tally;
  minutes: number;
  name: string;
  pages: number;
  problems: Problem[];
  seconds: number;
  title: string;
  type: string;
  unread: number;
  waiting: number;
}

export interface RestoreBody {
  /** the moment whose state is to return */
  at: string | Date;
  reason?: string;
}

export interface Restored {
  id: string;
  restored: boolean;
}

export interface RetryJobsRequest {
  /** everything that has failed */
  all?: boolean;
  /** documents */
  ids?: readonly string[];
}

export interface Scrub {
  backups?: Backup[];
  bytes?: number;
  caches?: number;
  files?: number;
  held?: string[];
  pieces?: number;
  scrubbed_at?: string;
  shared?: number;
  state: string;
  tries?: number;
}

export interface SearchBody {
  /** what had been saved by then */
  as_of?: string | Date;
  /** a path (its subtree), work! (it alone), work.* (its children) */
  container?: string | readonly string[];
  containers?: readonly string[];
  /** id of a conversation: its messages alone */
  conversation?: string;
  /** the same as filters.after and filters.before */
  date_range?: DateRange;
  /** say in stats.why_not at which stage this record was dropped */
  expect?: string;
  /** conditions that must all hold, like {"entity": "Dave", "from": "2026-03-01"}; and, or, not nest */
  filters?: Record<string, unknown>;
  /** the same as filters.from: what happened, was said or is dated at or after this */
  from?: string | Date;
  /** content: the whole text of each hit's document */
  include?: readonly string[];
  /** the same as include related */
  include_related?: boolean;
  /** the same as include content */
  include_transcripts?: boolean;
  /** search the ancestors too */
  inherit?: boolean;
  /** 1-200, default 10 */
  limit?: number;
  /** the same as limit */
  max_results?: number;
  /** the same as filters.kind */
  memory_types?: readonly string[];
  /** least score of the ranker's own */
  min_score?: number;
  /** how many results to pass over; offset and limit are at most 200 together */
  offset?: number;
  /** the same as container */
  project_id?: string;
  /** empty: the newest first */
  query: string;
  /** lukasa (default), weighted, cascade, vector, text, rrf */
  ranker?: string;
  /** the same as filters.session */
  session?: string;
  /** the same as filters.tags */
  tags?: readonly string[];
  /** least relevance, 0..1 */
  threshold?: number;
  /** the same as filters.to: before this */
  to?: string | Date;
  /** the same as filters.topic */
  topics?: readonly string[];
  /**
   * message, chunk, memory, document; recall_file: the documents that conversations became; defining_memory:
   * memories of a defining kind
   */
  types?: readonly string[];
  /** memories that were true then; with types that name them, messages sent and documents dated by then too */
  valid_at?: string | Date;
  /** memories that were true then or later */
  valid_from?: string | Date;
  /**
   * memories that were true before then; with valid_from, at some time between them; messages and documents that
   * types name, by their dates
   */
  valid_to?: string | Date;
}

export interface SearchStats {
  cached: boolean;
  candidates: number;
  degraded?: string;
  instead?: Record<string, string[]>;
  nodes: number;
  ranker: string;
  stage_ms: Record<string, number>;
  took_ms: number;
  why_not?: string;
}

export interface Shell {
  children: Child[];
  created_at: string;
  depth: number;
  description?: string;
  document_count: number;
  dormant: boolean;
  id: string;
  keywords: Keywords;
  manifest: Manifest;
  memory_count: number;
  name: string;
  parent_id?: string;
  path: string;
  summary?: string;
  type: string;
  updated_at: string;
}

export interface Source {
  document_id?: string;
  end: number;
  message_id?: string;
  quote?: string;
  start: number;
}

export interface Standing {
  id: string;
  name: string;
  role: string;
}

export interface Statement {
  at: string;
  container: string;
  id: string;
  is_latest: boolean;
  kind?: string;
  speaker?: string;
  text: string;
  weight: number;
}

export interface Stats {
  chunks: number;
  chunks_embedded: number;
  conversations: number;
  documents: number;
  documents_by_status: Record<string, number>;
  documents_by_type: Record<string, number>;
  documents_this_week: number;
  embedding_coverage: number;
  memories: number;
  messages: number;
  nodes: number;
  storage_bytes: number;
}

export interface SuggestBody {
  content: string;
  title?: string;
}

export interface Suggestion {
  confidence: number;
  container: string;
  new: boolean;
  wanted?: string;
  why: string;
}

export interface Superseded {
  by?: SupersededBy;
  content: string;
  id: string;
  reason?: string;
  retired_at?: string;
  valid_to?: string;
}

export interface SupersededBy {
  content: string;
  id: string;
  since?: string;
}

export interface Tally {
  deleted?: number;
  failed: number;
  new: number;
  replaced: number;
  unchanged: number;
}

export interface Task {
  attempt?: number;
  container?: string;
  document_id?: string;
  job_id?: string;
  kind?: string;
  reason?: string;
  record_id?: string;
  run_at?: string;
  state: string;
  status?: string;
  title?: string;
  updated_at: string;
}

export interface Tiered {
  access_count: number;
  category?: string;
  chunk_count: number;
  container: string;
  content?: string;
  content_hash?: string;
  content_type: string;
  created_at: string;
  custom_id?: string;
  embedded_count: number;
  forget_after?: string;
  id: string;
  is_latest: boolean;
  keywords: Keywords;
  language?: string;
  last_accessed_at?: string;
  metadata: Record<string, unknown>;
  node_id: string;
  occurred_at?: string;
  origin?: string;
  previous_id?: string;
  reason?: string;
  size: number;
  source_url?: string;
  status: string;
  summary?: string;
  tags: string[];
  /** hot: used within the hour; warm: within seven days; cold */
  tier: string;
  title: string;
  updated_at: string;
  version: number;
}

export interface TimelineLine {
  container: string;
  date: string;
  id: string;
  kind: string;
  source?: string;
  speaker?: string;
  superseded?: boolean;
  text: string;
}

export interface Unread {
  detail: string;
  document_id: string;
}

export interface User {
  created_at: string;
  email?: string;
  external_id?: string;
  id: string;
  name: string;
  role: string;
  settings?: Record<string, unknown>;
}

export interface UserPatch {
  /**
   * merged; null removes a name. limits {files, storage, sessions, requests} and retention_days mean something
   * here
   */
  settings: Record<string, unknown>;
}

export interface UserUsage {
  files: number;
  limits: Limits;
  retention_days?: number;
  sessions: number;
  storage: number;
}

export interface Vertex {
  container?: string;
  dormant?: boolean;
  id: string;
  kind?: string;
  label: string;
  size: number;
  type: string;
  x: number;
  y: number;
}

export interface Where {
  container: string;
  dormant?: boolean;
  id: string;
  mentions: number;
}
