// Written by clients/generate.py from clients/verbs.json and the server's OpenAPI. Do not edit.

import type { CallOptions } from "./call.js";
import type { List } from "./list.js";
import type {
  About, AppendBody, Appended, ArchiveBody, Archived, Audit, BatchItem, Branch, Brief, BriefBody, Buried,
  ChatBody, ChatReply, Child, Chunk, Concept, Conversation, ConversationPatch, CreateDocumentsRequest,
  DefiningMemory, Deleted, Deletion, Delta, Diff, DoctorRequest, Document, DocumentList, DocumentPatch, Edge,
  EdgeBody, Entity, EntityPatch, FileEvent, FileInfo, FileState, Found, Grant, HealthBody, Hood, Identity,
  ImportAnswer, ImportItemsRequest, Key, Kind, MadeKey, Match, Member, MemberRole, Memory, MemoryPatch, MergeBody,
  Message, MessageContext, MoveBody, NewDocument, NewGrant, NewKey, NewMemory, NewNode, NewOrganisation, NewUser,
  Node, NodePatch, Organisation, OrganisationPatch, Picture, Profile, ProvisionBody, PutGraphNodeRequest,
  RebuildRequest, Rebuilt, RecallFile, Receipt, RederiveRequest, Rederived, RelatedMemory, RestoreBody, Restored,
  RetryJobsRequest, SearchBody, Shell, Stats, SuggestBody, Suggestion, Task, Tiered, TimelineLine, User,
  UserPatch, UserUsage
} from "./types.js";

/**
 * The verbs: method, path, kind, then letters and names. s: safe to be sent twice; i: has an input;
 * b: has a body;
 * q=name: this field of the input goes into the query; m=name: an input that is a string is this field.
 */
export const table: Record<string, string> = {
  health: "GET /health json s",
  metrics: "GET /metrics text s",
  ready: "GET /ready json s i",
  listAudit: "GET /v1/audit list s i",
  brief: "POST /v1/brief json s i b m=query",
  listContainers: "GET /v1/containers list s i",
  createContainer: "POST /v1/containers json i b m=container",
  deleteContainer: "DELETE /v1/containers/{id} json i",
  getContainer: "GET /v1/containers/{id} json s i",
  updateContainer: "PATCH /v1/containers/{id} json s i b",
  archiveContainer: "POST /v1/containers/{id}/archive json i b",
  moveContainer: "POST /v1/containers/{id}/move json i b m=container",
  listConversations: "GET /v1/conversations list s i",
  deleteConversation: "DELETE /v1/conversations/{id} json i",
  getConversation: "GET /v1/conversations/{id} json s i",
  updateConversation: "PATCH /v1/conversations/{id} json s i b q=within:container",
  endConversation: "POST /v1/conversations/{id}/end json i q=container",
  listMessages: "GET /v1/conversations/{id}/messages list s i",
  listDefiningMemories: "GET /v1/defining-memories list s i",
  timeline: "GET /v1/timeline list s i",
  undoChange: "POST /v1/deltas/{id}/undo json",
  doctor: "POST /v1/doctor items i b",
  listDocuments: "GET /v1/documents list s i",
  addDocument: "POST /v1/documents json s i b m=content",
  addDocuments: "POST /v1/documents/batch items s i b m=documents",
  findDocuments: "POST /v1/documents/list list s i b",
  deleteDocument: "DELETE /v1/documents/{id} json i",
  getDocument: "GET /v1/documents/{id} json s i",
  updateDocument: "PATCH /v1/documents/{id} json s i b",
  listChunks: "GET /v1/documents/{id}/chunks list s i",
  getDocumentContent: "GET /v1/documents/{id}/content bytes s i",
  restoreVersion: "POST /v1/documents/{id}/restore json",
  listVersions: "GET /v1/documents/{id}/versions list s i",
  deleteEdge: "DELETE /v1/edges json i",
  putEdge: "POST /v1/edges json s i b",
  listEntities: "GET /v1/entities list s i",
  getEntity: "GET /v1/entities/{id} json s i",
  updateEntity: "PATCH /v1/entities/{id} json s i b",
  mergeEntities: "POST /v1/entities/{id}/merge json i b m=other",
  exportData: "GET /v1/export lines s i",
  listFiles: "GET /v1/files list s i",
  listAllFileEvents: "GET /v1/files/log list s i",
  getFile: "GET /v1/files/{id} json s",
  compressFile: "POST /v1/files/{id}/compress json",
  getFileContent: "GET /v1/files/{id}/content bytes s",
  decompressFile: "POST /v1/files/{id}/decompress json s",
  listFileEvents: "GET /v1/files/{id}/log list s i",
  getFileState: "GET /v1/files/{id}/state json s",
  touchFile: "POST /v1/files/{id}/touch json s",
  listGrants: "GET /v1/grants list s i",
  createGrant: "POST /v1/grants json i b",
  revokeGrant: "DELETE /v1/grants/{id} json",
  getGrant: "GET /v1/grants/{id} json s",
  getGraph: "GET /v1/graph json s i",
  listEdges: "GET /v1/graph/edges list s i m=of",
  getNeighbourhood: "GET /v1/graph/neighbourhood json s i m=of",
  listGraphNodes: "GET /v1/graph/nodes list s i",
  putGraphNode: "POST /v1/graph/nodes json s i b m=name",
  importItems: "POST /v1/import/items json s i b m=items",
  listImportKinds: "GET /v1/import/kinds list s",
  listJobs: "GET /v1/jobs list s i",
  retryJobs: "POST /v1/jobs/retry json i b",
  listKeys: "GET /v1/keys list s i",
  createKey: "POST /v1/keys json i b m=name",
  revokeKey: "DELETE /v1/keys/{id} json",
  listMemories: "GET /v1/memories list s i",
  addMemory: "POST /v1/memories json s i b m=content",
  deleteMemory: "DELETE /v1/memories/{id} json i",
  getMemory: "GET /v1/memories/{id} json s i",
  updateMemory: "PATCH /v1/memories/{id} json s i b",
  listRelatedMemories: "GET /v1/memories/{id}/related list s i",
  releaseMemory: "POST /v1/memories/{id}/release json",
  addMessages: "POST /v1/messages json i b",
  deleteMessage: "DELETE /v1/messages/{id} json i",
  getMessageContext: "GET /v1/messages/{id}/context json s i",
  createContainers: "POST /v1/nodes/provision items i b",
  suggestContainer: "POST /v1/nodes/suggest json s i b m=content",
  listChildren: "GET /v1/nodes/{id}/children list s i",
  listOrganisations: "GET /v1/organisations list s i",
  createOrganisation: "POST /v1/organisations json i b m=name",
  deleteOrganisation: "DELETE /v1/organisations/{id} json i",
  getOrganisation: "GET /v1/organisations/{id} json s",
  updateOrganisation: "PATCH /v1/organisations/{id} json s i b",
  listOrganisationKeys: "GET /v1/organisations/{id}/keys list s",
  listMembers: "GET /v1/organisations/{id}/members list s",
  removeMember: "DELETE /v1/organisations/{id}/members/{user} json",
  setMember: "PUT /v1/organisations/{id}/members/{user} json s i b",
  getProfile: "GET /v1/profile json s i m=query",
  rebuild: "POST /v1/rebuild json i b",
  listRecallFiles: "GET /v1/recall-files list s i",
  getRecallFile: "GET /v1/recall-files/{id} json s i",
  getArtifact: "GET /v1/recall-files/{id}/artifacts/{name} bytes s i",
  listReceipts: "GET /v1/receipts list s i",
  getReceipt: "GET /v1/receipts/{id} json s i",
  diff: "GET /v1/records/{id}/diff json s i",
  listHistory: "GET /v1/records/{id}/history list s i",
  restoreRecord: "POST /v1/records/{id}/restore items i b m=at",
  rederive: "POST /v1/rederive json i b",
  search: "POST /v1/search json s i b m=query",
  getStats: "GET /v1/stats json s i",
  emptyTrash: "DELETE /v1/trash items",
  listTrash: "GET /v1/trash list s i",
  purge: "DELETE /v1/trash/{id} json",
  restoreFromTrash: "POST /v1/trash/{id}/restore json",
  listTree: "GET /v1/tree list s i",
  getUsage: "GET /v1/usage json s i",
  listUsers: "GET /v1/users list s",
  createUser: "POST /v1/users json i b m=name",
  deleteUser: "DELETE /v1/users/{id} json i",
  updateUser: "PATCH /v1/users/{id} json s i b",
  restoreUser: "POST /v1/users/{id}/restore json",
  whoami: "GET /v1/whoami json s",
};

/** What {@link Verbs.ready} takes. */
export interface ReadyParams {
  /** write: 503 also where what is saved is refused, as on a full disk, while reading goes on */
  to?: "write";
}

/** What {@link Verbs.listAudit} takes. */
export interface ListAuditParams {
  /** next_cursor of the page before */
  cursor?: string;
  /** 1-100, default 20 */
  limit?: number;
  /** instead of cursor: how many to pass over */
  offset?: number;
  /** key.create, key.revoke, user.delete, document.delete, auth.failed, … */
  action?: string;
  /** admins only: of this user */
  user_id?: string;
  /** admins only: of everyone */
  all?: boolean;
}

/** What {@link Verbs.listContainers} takes. */
export interface ListContainersParams {
  /** pattern; none means all */
  container?: string;
  /** ISO 8601: as it was then */
  as_of?: string | Date;
}

/** What {@link Verbs.deleteContainer} takes. */
export interface DeleteContainerParams {
  /** put it into the trash, from where it can be restored, instead of removing it for good */
  soft?: boolean;
  /** scrubbed: answer once the store's own files are cleaned and searched for what was removed */
  wait?: "scrubbed";
}

/** What {@link Verbs.getContainer} takes. */
export interface GetContainerParams {
  /** ISO 8601: as it was then */
  as_of?: string | Date;
}

/** What {@link Verbs.listConversations} takes. */
export interface ListConversationsParams {
  /** next_cursor of the page before */
  cursor?: string;
  /** 1-100, default 20 */
  limit?: number;
  /** instead of cursor: how many to pass over */
  offset?: number;
  /** ISO 8601: as it was known then */
  as_of?: string | Date;
  container?: string;
}

/** What {@link Verbs.deleteConversation} takes. */
export interface DeleteConversationParams {
  /** put it into the trash, from where it can be restored, instead of removing it for good */
  soft?: boolean;
  /** scrubbed: answer once the store's own files are cleaned and searched for what was removed */
  wait?: "scrubbed";
}

/** What {@link Verbs.getConversation} takes. */
export interface GetConversationParams {
  /** where a name is looked for */
  container?: string;
  /** ISO 8601: as it was known then */
  as_of?: string | Date;
}

/** What {@link Verbs.updateConversation} takes. */
export interface UpdateConversationParams {
  /** where a name is looked for */
  within?: string;
}

/** What {@link Verbs.endConversation} takes. */
export interface EndConversationParams {
  /** where a name is looked for */
  container?: string;
}

/** What {@link Verbs.listMessages} takes. */
export interface ListMessagesParams {
  /** where a name is looked for */
  container?: string;
  /** next_cursor of the page before */
  cursor?: string;
  /** 1-100, default 20 */
  limit?: number;
  /** instead of cursor: how many to pass over */
  offset?: number;
  /** ISO 8601: as it was known then */
  as_of?: string | Date;
}

/** What {@link Verbs.listDefiningMemories} takes. */
export interface ListDefiningMemoriesParams {
  /** next_cursor of the page before */
  cursor?: string;
  /** 1-100, default 20 */
  limit?: number;
  /** instead of cursor: how many to pass over */
  offset?: number;
  /** ISO 8601: as it was known then */
  as_of?: string | Date;
  container?: string;
  /** decision, milestone, event, turning_point; several with commas */
  type?: string | readonly string[];
  /** ISO 8601 date or time: what happened from then on */
  since?: string | Date;
  /** those too that something newer took the place of */
  superseded?: boolean;
  /** ISO 8601: only what was true then, superseded or not */
  valid_at?: string | Date;
}

/** What {@link Verbs.timeline} takes. */
export interface TimelineParams {
  /** next_cursor of the page before */
  cursor?: string;
  /** 1-100, default 20 */
  limit?: number;
  /** a path (its subtree), work! (it alone), work.* (its children); none: everything */
  container?: string;
  /** ISO 8601 date or time: at or after this */
  from?: string | Date;
  /** ISO 8601 date or time: before this */
  to?: string | Date;
  /**
   * several with commas: memory, message, document, or kinds of memories like event; defining and regular stand
   * for several
   */
  kind?: string | readonly string[];
}

/** What {@link Verbs.listDocuments} takes. */
export interface ListDocumentsParams {
  /** next_cursor of the page before */
  cursor?: string;
  /** 1-100, default 20 */
  limit?: number;
  /** instead of cursor: how many to pass over */
  offset?: number;
  container?: string;
  content_type?: string;
  status?: string;
  tag?: string;
  /** part of the title */
  title?: string;
  source_url?: string;
  custom_id?: string;
  all_versions?: boolean;
  /** ISO 8601: dated at or after this, or else saved */
  from?: string | Date;
  /** ISO 8601: dated before this, or else saved */
  to?: string | Date;
  /** ISO 8601: as it was known then */
  as_of?: string | Date;
}

/** What upload takes. */
export interface UploadParams {
  /** dotted path; none means default */
  container?: string;
  /** text, markdown, html, code, json, csv, or a media type; found out where it is not given */
  content_type?: string;
  /**
   * your own id: a later save with the same one is a new version; another one is another document, also where the
   * text is the same
   */
  custom_id?: string;
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
}

/** What {@link Verbs.deleteDocument} takes. */
export interface DeleteDocumentParams {
  /** put it into the trash, from where it can be restored, instead of removing it for good */
  soft?: boolean;
  /** scrubbed: answer once the store's own files are cleaned and searched for what was removed */
  wait?: "scrubbed";
}

/** What {@link Verbs.getDocument} takes. */
export interface GetDocumentParams {
  /** ISO 8601: as it was known then */
  as_of?: string | Date;
}

/** What {@link Verbs.listChunks} takes. */
export interface ListChunksParams {
  /** ISO 8601: as it was known then */
  as_of?: string | Date;
}

/** What {@link Verbs.getDocumentContent} takes. */
export interface GetDocumentContentParams {
  /** ISO 8601: as it was known then */
  as_of?: string | Date;
}

/** What {@link Verbs.listVersions} takes. */
export interface ListVersionsParams {
  /** ISO 8601: as it was known then */
  as_of?: string | Date;
}

/** What {@link Verbs.deleteEdge} takes. */
export interface DeleteEdgeParams {
  source: string;
  target: string;
  type: string;
}

/** What {@link Verbs.listEntities} takes. */
export interface ListEntitiesParams {
  /** next_cursor of the page before */
  cursor?: string;
  /** 1-100, default 20 */
  limit?: number;
  /** instead of cursor: how many to pass over */
  offset?: number;
  /**
   * only who and what is named there, as often as there: work (with all below it), work! (it alone), work.* (its
   * children)
   */
  container?: string;
  /** person, organisation, place, product */
  kind?: string;
  /** a name, a little differently written too; the most alike first, with a score */
  q?: string;
  /** ISO 8601: as it was then */
  as_of?: string | Date;
}

/** What {@link Verbs.getEntity} takes. */
export interface GetEntityParams {
  /** ISO 8601: as it was then */
  as_of?: string | Date;
}

/** What {@link Verbs.exportData} takes. */
export interface ExportDataParams {
  /** a path (its subtree), work! (it alone), work.* (its children); several with commas; all of them if left out */
  container?: string | readonly string[];
}

/** What {@link Verbs.listFiles} takes. */
export interface ListFilesParams {
  /** next_cursor of the page before */
  cursor?: string;
  /** 1-100, default 20 */
  limit?: number;
  /** instead of cursor: how many to pass over */
  offset?: number;
  document_id?: string;
  container?: string;
}

/** What {@link Verbs.listAllFileEvents} takes. */
export interface ListAllFileEventsParams {
  /** next_cursor of the page before */
  cursor?: string;
  /** 1-100, default 20 */
  limit?: number;
  /** instead of cursor: how many to pass over */
  offset?: number;
}

/** What {@link Verbs.listFileEvents} takes. */
export interface ListFileEventsParams {
  /** next_cursor of the page before */
  cursor?: string;
  /** 1-100, default 20 */
  limit?: number;
  /** instead of cursor: how many to pass over */
  offset?: number;
}

/** What {@link Verbs.listGrants} takes. */
export interface ListGrantsParams {
  /** next_cursor of the page before */
  cursor?: string;
  /** 1-100, default 20 */
  limit?: number;
  /** instead of cursor: how many to pass over */
  offset?: number;
  /** only those to this persona or third party */
  subject_id?: string;
  /** only those to this container */
  container?: string;
  /** those that have ended too */
  all?: boolean;
}

/** What {@link Verbs.getGraph} takes. */
export interface GetGraphParams {
  container?: string;
  /** documents and memories each, 1-1000, default 200 */
  limit?: number;
  /** also topics and entities that only one record names */
  solo?: boolean;
  /** ISO 8601: as it was then */
  as_of?: string | Date;
}

/** What {@link Verbs.listEdges} takes. */
export interface ListEdgesParams {
  /** ids of records, separated by commas */
  of: string | readonly string[];
  /** only of these types */
  type?: string;
  /** 1-1000, default 100 */
  limit?: number;
  /** ISO 8601: as it was then */
  as_of?: string | Date;
}

/** What {@link Verbs.getNeighbourhood} takes. */
export interface GetNeighbourhoodParams {
  /** ids of records, paths of containers or names of entities, separated by commas */
  of: string | readonly string[];
  /** edges at most, 1-6, default 1 */
  depth?: number;
  /** records, 1-500, default 100 */
  limit?: number;
  /** only along edges of these types */
  type?: string;
  /** ISO 8601: as it was then */
  as_of?: string | Date;
}

/** What {@link Verbs.listGraphNodes} takes. */
export interface ListGraphNodesParams {
  /** project, topic, concept, persona, entity, or the kind of an entity */
  type?: string;
  /** a little differently written too */
  name?: string;
  /** id, path of a container or name of an entity */
  related_to?: string;
  /** for related_to, 1-6, default 1 */
  depth?: number;
  /** 1-100, default 20 */
  limit?: number;
  offset?: number;
  /** ISO 8601: as it was then */
  as_of?: string | Date;
}

/** What importData takes. */
export interface ImportDataParams {
  /** what it is, as GET /v1/import/kinds names it; found out if left out */
  kind?: string;
  /** of the file */
  name?: string;
  /** where it goes */
  container?: string;
  /** time zone of times that have none */
  zone?: string;
  /** whose messages are the user's own */
  me?: string;
  /** what keeps apart two sources of one kind */
  namespace?: string;
  /** true: the files beside it too */
  attachments?: boolean;
  /** true: only count what would be taken in, and write nothing */
  dry_run?: boolean;
}

/** What {@link Verbs.listJobs} takes. */
export interface ListJobsParams {
  /** next_cursor of the page before */
  cursor?: string;
  /** 1-100, default 20 */
  limit?: number;
  /** instead of cursor: how many to pass over */
  offset?: number;
  /** all of them if left out */
  state?: "waiting" | "running" | "failed";
}

/** What {@link Verbs.listKeys} takes. */
export interface ListKeysParams {
  /** admins only: everyone's */
  all?: boolean;
}

/** What {@link Verbs.listMemories} takes. */
export interface ListMemoriesParams {
  /** next_cursor of the page before */
  cursor?: string;
  /** 1-100, default 20 */
  limit?: number;
  /** instead of cursor: how many to pass over */
  offset?: number;
  container?: string;
  /** several with commas; defining and regular stand for the kinds that they sum up */
  kind?: string | readonly string[];
  tag?: string;
  /** what they are about: a tag of theirs, or a tag or topic of the document or recall file that they come from */
  topic?: string;
  /** whom or what they mention or are linked with: a name, an alias or an id */
  entity?: string;
  /**
   * a type of edge that they stand at (to the entity, if there is one), or what they say of their subject, like
   * works_at or sister
   */
  relation?: string;
  /** ISO 8601: what occurred, or else was recorded, at or after this */
  from?: string | Date;
  /** ISO 8601: what occurred, or else was recorded, before this */
  to?: string | Date;
  /** ISO 8601: recorded at or after this */
  created_from?: string | Date;
  /** ISO 8601: recorded before this */
  created_to?: string | Date;
  /** true: only what stands; false: only what was superseded */
  latest?: boolean;
  document_id?: string;
  /** which value of their subject they tell, like lives_in */
  slot?: string;
  /** whom or what they are about, as the memory has it */
  subject?: string;
  /**
   * left out: all but what waits for a review: in quarantine, because the text that it comes from tries to give
   * orders, and candidates, which may not be worth keeping
   */
  state?: "active" | "archived" | "quarantined" | "candidate";
  /** ISO 8601: as it was known then */
  as_of?: string | Date;
  /** ISO 8601: only what was true then */
  valid_at?: string | Date;
  /** ISO 8601: only what was true then or later */
  valid_from?: string | Date;
  /** ISO 8601: only what was true before then; with valid_from, at some time between them */
  valid_to?: string | Date;
}

/** What {@link Verbs.deleteMemory} takes. */
export interface DeleteMemoryParams {
  /** put it into the trash, from where it can be restored, instead of removing it for good */
  soft?: boolean;
  /** scrubbed: answer once the store's own files are cleaned and searched for what was removed */
  wait?: "scrubbed";
}

/** What {@link Verbs.getMemory} takes. */
export interface GetMemoryParams {
  /** ISO 8601: as it was known then */
  as_of?: string | Date;
}

/** What {@link Verbs.listRelatedMemories} takes. */
export interface ListRelatedMemoriesParams {
  /** edges at most, 1-6, default 2 */
  depth?: number;
  /** only along edges of these types */
  type?: string;
  /** ISO 8601: as it was then */
  as_of?: string | Date;
  /** ISO 8601: only what was true then */
  valid_at?: string | Date;
}

/** What {@link Verbs.deleteMessage} takes. */
export interface DeleteMessageParams {
  /** put it into the trash, from where it can be restored, instead of removing it for good */
  soft?: boolean;
  /** scrubbed: answer once the store's own files are cleaned and searched for what was removed */
  wait?: "scrubbed";
}

/** What {@link Verbs.getMessageContext} takes. */
export interface GetMessageContextParams {
  /** ISO 8601: as it was known then */
  as_of?: string | Date;
  /** 0-100, default 5 */
  before?: number;
  /** 0-100, default 0 */
  after?: number;
}

/** What {@link Verbs.listChildren} takes. */
export interface ListChildrenParams {
  /** ISO 8601: as it was then */
  as_of?: string | Date;
}

/** What {@link Verbs.listOrganisations} takes. */
export interface ListOrganisationsParams {
  /** admins of the server only: all there are */
  all?: boolean;
}

/** What {@link Verbs.deleteOrganisation} takes. */
export interface DeleteOrganisationParams {
  /** scrubbed: answer once the store's own files are cleaned and searched for what was removed */
  wait?: "scrubbed";
}

/** What {@link Verbs.getProfile} takes. */
export interface GetProfileParams {
  query?: string;
  /** a path (its subtree), work! (it alone), work.* (its children); none: everything */
  container?: string;
  /** ISO 8601 date or time: what was known then */
  as_of?: string | Date;
  /** ISO 8601 date or time: made of what was true then */
  valid_at?: string | Date;
  /** of all lines together; none: no bound */
  max_tokens?: number;
}

/** What {@link Verbs.listRecallFiles} takes. */
export interface ListRecallFilesParams {
  /** next_cursor of the page before */
  cursor?: string;
  /** 1-100, default 20 */
  limit?: number;
  /** instead of cursor: how many to pass over */
  offset?: number;
  /** ISO 8601: as it was known then */
  as_of?: string | Date;
  container?: string;
  conversation_id?: string;
  /** active, finalized, archived */
  status?: string;
  /** a part of it, or about how it is spelled */
  topic?: string;
  /** created_at (default), updated_at, last_accessed_at, topic, token_count */
  sort?: string;
  /** default desc */
  order?: "asc" | "desc";
}

/** What {@link Verbs.getRecallFile} takes. */
export interface GetRecallFileParams {
  /** ISO 8601: as it was known then */
  as_of?: string | Date;
  /** summary, keywords, transcript, artifacts; several with commas */
  include?: string | readonly string[];
}

/** What {@link Verbs.getArtifact} takes. */
export interface GetArtifactParams {
  /** ISO 8601: as it was known then */
  as_of?: string | Date;
}

/** What {@link Verbs.listReceipts} takes. */
export interface ListReceiptsParams {
  /** next_cursor of the page before */
  cursor?: string;
  /** 1-100, default 20 */
  limit?: number;
  /** instead of cursor: how many to pass over */
  offset?: number;
}

/** What {@link Verbs.getReceipt} takes. */
export interface GetReceiptParams {
  wait?: "scrubbed";
}

/** What {@link Verbs.diff} takes. */
export interface DiffParams {
  /** ISO 8601 */
  from?: string | Date;
  /** ISO 8601; now when left out */
  to?: string | Date;
  /** instead of moments: the id of another document, like an earlier version, that this one is compared to */
  with?: string;
}

/** What {@link Verbs.listHistory} takes. */
export interface ListHistoryParams {
  /** next_cursor of the page before */
  cursor?: string;
  /** 1-100, default 20 */
  limit?: number;
  /** instead of cursor: how many to pass over */
  offset?: number;
  /** ISO 8601: as it was known then */
  as_of?: string | Date;
}

/** What {@link Verbs.getStats} takes. */
export interface GetStatsParams {
  /** ISO 8601: as it was known then */
  as_of?: string | Date;
}

/** What {@link Verbs.listTrash} takes. */
export interface ListTrashParams {
  /** next_cursor of the page before */
  cursor?: string;
  /** 1-100, default 20 */
  limit?: number;
  /** instead of cursor: how many to pass over */
  offset?: number;
}

/** What {@link Verbs.listTree} takes. */
export interface ListTreeParams {
  /** pattern; none means all */
  container?: string;
  /** ISO 8601: as it was then */
  as_of?: string | Date;
}

/** What {@link Verbs.getUsage} takes. */
export interface GetUsageParams {
  /** admins only: of this user */
  user_id?: string;
}

/** What {@link Verbs.deleteUser} takes. */
export interface DeleteUserParams {
  /** put it into the trash, from where it can be restored, instead of removing it for good */
  soft?: boolean;
  /** scrubbed: answer once the store's own files are cleaned and searched for what was removed */
  wait?: "scrubbed";
}

/** What a {@link Lukasa} can be asked. */
export interface Verbs {
  /** The state of each part. */
  health(options?: CallOptions): Promise<HealthBody>;
  /** Counters and timings for Prometheus; admins only. */
  metrics(options?: CallOptions): Promise<string>;
  /** Whether requests can be served. */
  ready(input?: ReadyParams, options?: CallOptions): Promise<HealthBody>;
  /** Security-relevant acts, newest first: your own, or for admins anyone's. */
  listAudit(input?: ListAuditParams, options?: CallOptions): List<Audit>;
  /** Recalled text that fits into a prompt. */
  brief(input: string | BriefBody, options?: CallOptions): Promise<Brief>;
  /**
   * Ask the configured model with what is remembered; the exchange is kept. The message is durable before the
   * model is asked. When the model fails the answer is 502 or 503, and details say under which id the message is
   * kept. Where none is configured it is 400, and the error names the setting. With stream the answer comes as
   * server-sent events: `delta` with `{"text"}` for each piece, then `done` with the same object that an answer
   * without stream has, or `error` in the shape of every error. A failure before the first piece is an answer with
   * its status.
   */
  chat(input: string | Omit<ChatBody, "stream">, options?: CallOptions): Promise<ChatReply>;
  /** List containers with their counts. */
  listContainers(input?: ListContainersParams, options?: CallOptions): List<Node>;
  /** Make a container. */
  createContainer(input: string | NewNode, options?: CallOptions): Promise<Node>;
  /** Remove a container with everything in it, for good. */
  deleteContainer(id: string, input?: DeleteContainerParams, options?: CallOptions): Promise<Deleted>;
  /** One container by id or path: what it is about, what it holds, what is below it. */
  getContainer(id: string, input?: GetContainerParams, options?: CallOptions): Promise<Shell>;
  /** Change name, type, description, summary or keywords. */
  updateContainer(id: string, input?: NodePatch, options?: CallOptions): Promise<Shell>;
  /** Move everything of a container into its parent, and remove it. */
  archiveContainer(id: string, input?: ArchiveBody, options?: CallOptions): Promise<Archived>;
  /** Give a container, and what is below it, another path. */
  moveContainer(id: string, input: string | MoveBody, options?: CallOptions): Promise<Node>;
  /** List conversations, the one with the newest message first. */
  listConversations(input?: ListConversationsParams, options?: CallOptions): List<Conversation>;
  /** Remove a conversation with all its messages and recall files. */
  deleteConversation(id: string, input?: DeleteConversationParams, options?: CallOptions): Promise<Deleted>;
  /** One conversation. */
  getConversation(id: string, input?: GetConversationParams, options?: CallOptions): Promise<Conversation>;
  /** Change title, tags, metadata or forget_after, or move it; within says where a name is looked for. */
  updateConversation(
    id: string,
    input?: UpdateConversationParams & ConversationPatch,
    options?: CallOptions,
  ): Promise<Conversation>;
  /** End what is open of a conversation and write its recall file. */
  endConversation(id: string, input?: EndConversationParams, options?: CallOptions): Promise<RecallFile>;
  /** A conversation's messages in order. */
  listMessages(id: string, input?: ListMessagesParams, options?: CallOptions): List<Message>;
  /** List decisions, milestones, events and turning points, newest first. */
  listDefiningMemories(input?: ListDefiningMemoriesParams, options?: CallOptions): List<DefiningMemory>;
  /** List what happened, was said or is dated between two moments, oldest first. */
  timeline(input?: TimelineParams, options?: CallOptions): List<TimelineLine>;
  /** Turn one change back. */
  undoChange(id: string, options?: CallOptions): Promise<Delta>;
  /** Look for damage; repair builds again what is derived. */
  doctor(input?: DoctorRequest, options?: CallOptions): Promise<string[]>;
  /** List documents, newest first. */
  listDocuments(input?: ListDocumentsParams, options?: CallOptions): List<Document>;
  /** Save text, an address or a file. */
  addDocument(input?: string | NewDocument, options?: CallOptions): Promise<Receipt>;
  /** Save several; each item has its own result. */
  addDocuments(input: string | CreateDocumentsRequest, options?: CallOptions): Promise<BatchItem[]>;
  /** List documents with filters. */
  findDocuments(input?: DocumentList, options?: CallOptions): List<Document>;
  /** Remove a document and all that came from it. */
  deleteDocument(id: string, input?: DeleteDocumentParams, options?: CallOptions): Promise<Deleted>;
  /** One document with its text. */
  getDocument(id: string, input?: GetDocumentParams, options?: CallOptions): Promise<Tiered>;
  /** Change title, tags, metadata or forget_after. */
  updateDocument(id: string, input?: DocumentPatch, options?: CallOptions): Promise<Document>;
  /** A document's chunks in order. */
  listChunks(id: string, input?: ListChunksParams, options?: CallOptions): List<Chunk>;
  /** What the document came in as, byte for byte. */
  getDocumentContent(id: string, input?: GetDocumentContentParams, options?: CallOptions): Promise<Response>;
  /** Save the content of an earlier version as the newest one. */
  restoreVersion(id: string, options?: CallOptions): Promise<Receipt>;
  /** A document's versions, newest first. */
  listVersions(id: string, input?: ListVersionsParams, options?: CallOptions): List<Document>;
  /** Remove a link. */
  deleteEdge(input: DeleteEdgeParams, options?: CallOptions): Promise<Record<string, unknown>>;
  /** Link two records; an edge of the same source, target and type is replaced. */
  putEdge(input: EdgeBody, options?: CallOptions): Promise<Edge>;
  /** Who and what is named. */
  listEntities(input?: ListEntitiesParams, options?: CallOptions): List<Match>;
  /** Everything about an entity, by id or name, across all containers. */
  getEntity(id: string, input?: GetEntityParams, options?: CallOptions): Promise<About>;
  /** Change name, kind or aliases. */
  updateEntity(id: string, input?: EntityPatch, options?: CallOptions): Promise<Entity>;
  /** Make one entity of two. */
  mergeEntities(id: string, input: string | MergeBody, options?: CallOptions): Promise<Entity>;
  /**
   * Everything that the key sees, as JSON lines. See docs/format/export.md. An export that breaks off is cut, and
   * not ended.
   */
  exportData(input?: ExportDataParams, options?: CallOptions): AsyncIterable<Record<string, unknown>>;
  /** Sealed files with their states, newest first: all, those of a container, or those of a document. */
  listFiles(input?: ListFilesParams, options?: CallOptions): List<FileInfo>;
  /** The states that all your files went through, newest first. */
  listAllFileEvents(input?: ListAllFileEventsParams, options?: CallOptions): List<FileEvent>;
  /** One file: name, sizes, state, tier. */
  getFile(id: string, options?: CallOptions): Promise<FileInfo>;
  /** Compress a file hard, as happens by itself once it is idle. */
  compressFile(id: string, options?: CallOptions): Promise<FileInfo>;
  /** The bytes of a file; a sleeping one is woken, 202 while that takes longer than two seconds. */
  getFileContent(id: string, options?: CallOptions): Promise<Response>;
  /** Wake a file; 202 while that takes longer than two seconds. */
  decompressFile(id: string, options?: CallOptions): Promise<FileState>;
  /** The states that a file went through, newest first. */
  listFileEvents(id: string, input?: ListFileEventsParams, options?: CallOptions): List<FileEvent>;
  /** Whether a file is active, dormant or being woken. */
  getFileState(id: string, options?: CallOptions): Promise<FileState>;
  /** Note that a file was used. */
  touchFile(id: string, options?: CallOptions): Promise<FileInfo>;
  /** List grants, newest first; a persona or third party sees its own. */
  listGrants(input?: ListGrantsParams, options?: CallOptions): List<Grant>;
  /** Give a persona or a third party leave to one container. */
  createGrant(input: NewGrant, options?: CallOptions): Promise<Grant>;
  /** End a grant at once. */
  revokeGrant(id: string, options?: CallOptions): Promise<Grant>;
  /** One grant. */
  getGrant(id: string, options?: CallOptions): Promise<Grant>;
  /** How records hang together. */
  getGraph(input?: GetGraphParams, options?: CallOptions): Promise<Picture>;
  /** The links at records, heaviest first. */
  listEdges(input: string | ListEdgesParams, options?: CallOptions): List<Edge>;
  /** What lies around records, edge by edge. */
  getNeighbourhood(input: string | GetNeighbourhoodParams, options?: CallOptions): Promise<Hood>;
  /** Containers and entities as one knowledge graph. */
  listGraphNodes(input?: ListGraphNodesParams, options?: CallOptions): List<Concept>;
  /** Make a node of the knowledge graph, or change the one of that name. */
  putGraphNode(input: string | PutGraphNodeRequest, options?: CallOptions): Promise<Concept>;
  /** Keep items of an export, and what they point to; what is there is passed over. */
  importItems(input?: string | ImportItemsRequest, options?: CallOptions): Promise<ImportAnswer>;
  /** The kinds of export that can be imported. */
  listImportKinds(options?: CallOptions): List<Kind>;
  /** What is not done: documents that wait, are worked on, or have failed, and other jobs. */
  listJobs(input?: ListJobsParams, options?: CallOptions): List<Task>;
  /** Try again what has failed. */
  retryJobs(input?: RetryJobsRequest, options?: CallOptions): Promise<Record<string, unknown>>;
  /** List keys. */
  listKeys(input?: ListKeysParams, options?: CallOptions): List<Key>;
  /** Make a key; its secret is shown this once. */
  createKey(input?: string | NewKey, options?: CallOptions): Promise<MadeKey>;
  /** End a key at once. */
  revokeKey(id: string, options?: CallOptions): Promise<Key>;
  /** List memories, newest first. */
  listMemories(input?: ListMemoriesParams, options?: CallOptions): List<Memory>;
  /** Add one statement as it is given. */
  addMemory(input: string | NewMemory, options?: CallOptions): Promise<Memory>;
  /** Remove a memory. */
  deleteMemory(id: string, input?: DeleteMemoryParams, options?: CallOptions): Promise<Deleted>;
  /** One memory with its sources. */
  getMemory(id: string, input?: GetMemoryParams, options?: CallOptions): Promise<Memory>;
  /** Change kind, confidence, tags, metadata or forget_after. */
  updateMemory(id: string, input?: MemoryPatch, options?: CallOptions): Promise<Memory>;
  /** Memories that edges lead to, nearest first. */
  listRelatedMemories(id: string, input?: ListRelatedMemoriesParams, options?: CallOptions): List<RelatedMemory>;
  /** Let a memory out of quarantine, after somebody has looked at it. */
  releaseMemory(id: string, options?: CallOptions): Promise<Memory>;
  /** Append messages to a conversation. */
  addMessages(input: AppendBody, options?: CallOptions): Promise<Appended>;
  /** Remove a message for good; its recall file is made anew without it. */
  deleteMessage(id: string, input?: DeleteMessageParams, options?: CallOptions): Promise<Deleted>;
  /** A message with what was said before and after it. */
  getMessageContext(id: string, input?: GetMessageContextParams, options?: CallOptions): Promise<MessageContext>;
  /** Make one or several containers, all or none. */
  createContainers(input?: ProvisionBody, options?: CallOptions): Promise<Node[]>;
  /** Where content belongs. */
  suggestContainer(input: string | SuggestBody, options?: CallOptions): Promise<Suggestion>;
  /** The containers right below one. */
  listChildren(id: string, input?: ListChildrenParams, options?: CallOptions): List<Child>;
  /** The organisations that you are a member of. */
  listOrganisations(input?: ListOrganisationsParams, options?: CallOptions): List<Organisation>;
  /** Make an organisation, with records that its members share; for admins of the server. */
  createOrganisation(input: string | NewOrganisation, options?: CallOptions): Promise<Organisation>;
  /** Remove an organisation and everything in it, for good; takes an owner. */
  deleteOrganisation(id: string, input?: DeleteOrganisationParams, options?: CallOptions): Promise<Deleted>;
  /** One organisation, with your role in it. */
  getOrganisation(id: string, options?: CallOptions): Promise<Organisation>;
  /** Rename an organisation, or change what it may have. */
  updateOrganisation(id: string, input?: OrganisationPatch, options?: CallOptions): Promise<Organisation>;
  /** The keys to its records: all for its owners and admins, else your own. */
  listOrganisationKeys(id: string, options?: CallOptions): List<Key>;
  /** Its members, owners first. */
  listMembers(id: string, options?: CallOptions): List<Member>;
  /** Take a member out, with the member's keys, or leave yourself. */
  removeMember(id: string, user: string, options?: CallOptions): Promise<Member>;
  /** Add a member, or give one another role; it counts in the next call. */
  setMember(id: string, user: string, input?: MemberRole, options?: CallOptions): Promise<Member>;
  /** What is known: facts that hold, what happened lately, what is relevant to a query. */
  getProfile(input?: string | GetProfileParams, options?: CallOptions): Promise<Profile>;
  /** Make again what is derived: summaries, embeddings, graph or index. */
  rebuild(input?: RebuildRequest, options?: CallOptions): Promise<Rebuilt>;
  /** List the stretches of conversations, newest first. */
  listRecallFiles(input?: ListRecallFilesParams, options?: CallOptions): List<RecallFile>;
  /** One recall file with the parts that are asked for. */
  getRecallFile(id: string, input?: GetRecallFileParams, options?: CallOptions): Promise<RecallFile>;
  /** An artifact of a recall file, byte for byte. */
  getArtifact(id: string, name: string, input?: GetArtifactParams, options?: CallOptions): Promise<Response>;
  /** What was removed for good, newest first. */
  listReceipts(input?: ListReceiptsParams, options?: CallOptions): List<Deletion>;
  /** What a deletion took away, and whether the store's own files still hold any of it. */
  getReceipt(id: string, input?: GetReceiptParams, options?: CallOptions): Promise<Deletion>;
  /** How a record differs between two moments. */
  diff(id: string, input?: DiffParams, options?: CallOptions): Promise<Diff>;
  /** The changes of a memory, document, conversation or container, newest first. */
  listHistory(id: string, input?: ListHistoryParams, options?: CallOptions): List<Delta>;
  /** Make the state of a moment current again. */
  restoreRecord(id: string, input: string | RestoreBody, options?: CallOptions): Promise<Delta[]>;
  /** Read what is kept again by today's rules or model, and show or apply what that changes in memories. */
  rederive(input?: RederiveRequest, options?: CallOptions): Promise<Rederived>;
  /** Find what is relevant, by meaning and by words. */
  search(input?: string | SearchBody, options?: CallOptions): Promise<Found>;
  /** What there is, in numbers. */
  getStats(input?: GetStatsParams, options?: CallOptions): Promise<Stats>;
  /** Remove everything in the trash for good. */
  emptyTrash(options?: CallOptions): Promise<Deletion[]>;
  /** What lies in the trash, newest first. */
  listTrash(input?: ListTrashParams, options?: CallOptions): List<Buried>;
  /** Remove a record in the trash for good. */
  purge(id: string, options?: CallOptions): Promise<Deleted>;
  /** Take a record out of the trash, with what went along. */
  restoreFromTrash(id: string, options?: CallOptions): Promise<Restored>;
  /** Containers as branches. */
  listTree(input?: ListTreeParams, options?: CallOptions): List<Branch>;
  /** What you have, and may have. */
  getUsage(input?: GetUsageParams, options?: CallOptions): Promise<UserUsage>;
  /** List users. */
  listUsers(options?: CallOptions): List<User>;
  /** Make a user with records of their own. */
  createUser(input?: string | NewUser, options?: CallOptions): Promise<User>;
  /** Remove a user and everything of theirs, softly or for good. */
  deleteUser(id: string, input?: DeleteUserParams, options?: CallOptions): Promise<Deleted>;
  /** Change a user's settings, limits and retention among them. */
  updateUser(id: string, input: UserPatch, options?: CallOptions): Promise<User>;
  /** Take a user out of the trash. */
  restoreUser(id: string, options?: CallOptions): Promise<User>;
  /** Who this key speaks for. */
  whoami(options?: CallOptions): Promise<Identity>;
}
