"""What the server answers, as dataclasses, and what it takes, as typed dictionaries.

Written by clients/generate.py from clients/verbs.json and the server's OpenAPI. Do not edit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as _field
from datetime import date, datetime
from typing import Any, Literal, TypedDict

from ._decode import ZERO_TIME

__all__ = [
    "About", "AppendBody", "AppendResult", "Appended", "ArchiveBody", "Archived", "Artifact", "Audit", "Backup",
    "BatchItem", "Branch", "Brief", "BriefBody", "BriefHit", "Buried", "ChatBody", "ChatLog", "ChatReply",
    "ChatUsage", "Check", "Child", "Chunk", "Concept", "Conversation", "ConversationPatch", "Counts",
    "CreateDocumentsRequest", "DateRange", "DefiningMemory", "Deleted", "Deletion", "Delta", "Diff",
    "Difference", "DoctorRequest", "Document", "DocumentList", "DocumentPatch", "Edge", "EdgeBody", "Entity",
    "EntityPatch", "Event", "FaultBody", "FileEvent", "FileInfo", "FileState", "Found", "FoundHit", "Grant",
    "HealthBody", "Hit", "HitChunk", "HitDocument", "HitMessage", "Hood", "Identity", "ImportAnswer",
    "ImportItem", "ImportItemsRequest", "ImportLink", "ImportResult", "Item", "Key", "KeywordFrequency",
    "Keywords", "KeywordsInput", "Kind", "LeftOut", "Limits", "LinkedNode", "MadeKey", "Manifest", "Match",
    "Meant", "Member", "MemberRole", "Memory", "MemoryOpts", "MemoryPatch", "MemoryUsed", "MergeBody",
    "Message", "MessageContext", "MoveBody", "Moved", "Named", "Near", "NewDocument", "NewGrant", "NewKey",
    "NewMemory", "NewMessage", "NewNode", "NewOrganisation", "NewUser", "Node", "NodePatch", "Organisation",
    "OrganisationPatch", "OwnReport", "Picture", "Problem", "Profile", "ProvisionBody", "ProvisionNode",
    "PutGraphNodeRequest", "RebuildRequest", "Rebuilt", "RecallFile", "Receipt", "Recovery", "Rederivation",
    "RederiveRequest", "Rederived", "Related", "RelatedMemory", "RelatedNode", "Removal", "Renamed", "Report",
    "RestoreBody", "Restored", "RetryJobsRequest", "Scrub", "SearchBody", "SearchStats", "Shell", "Source",
    "Standing", "Statement", "Stats", "SuggestBody", "Suggestion", "Superseded", "SupersededBy", "Tally",
    "Task", "Tiered", "TimelineLine", "Unread", "User", "UserPatch", "UserUsage", "Vertex", "Where",
]


BriefBody = TypedDict(
    "BriefBody",
    {
        "as_of": "str | date | datetime",
        "container": "str | Sequence[str]",
        "containers": "Sequence[str]",
        "floor": "float",
        "fresh": "bool",
        "from": "str | date | datetime",
        "include_defining": "bool",
        "max_tokens": "int",
        "query": "str",
        "session": "str",
        "to": "str | date | datetime",
        "valid_at": "str | date | datetime",
    },
    total=False,
)



DocumentList = TypedDict(
    "DocumentList",
    {
        "after": "str | date | datetime",
        "all_versions": "bool",
        "as_of": "str | date | datetime",
        "before": "str | date | datetime",
        "container": "str | Sequence[str]",
        "content_type": "str | Sequence[str]",
        "cursor": "str",
        "custom_id": "str",
        "from": "str | date | datetime",
        "limit": "int",
        "offset": "int",
        "oldest_first": "bool",
        "source_url": "str",
        "status": "str | Sequence[str]",
        "tags": "Sequence[str]",
        "title": "str",
        "to": "str | date | datetime",
    },
    total=False,
)



ImportLink = TypedDict(
    "ImportLink",
    {
        "from": "str",
        "to": "str",
    },
    total=False,
)



SearchBody = TypedDict(
    "SearchBody",
    {
        "as_of": "str | date | datetime",
        "container": "str | Sequence[str]",
        "containers": "Sequence[str]",
        "conversation": "str",
        "date_range": "DateRange",
        "expect": "str",
        "filters": "Mapping[str, Any]",
        "from": "str | date | datetime",
        "include": "Sequence[str]",
        "include_related": "bool",
        "include_transcripts": "bool",
        "inherit": "bool",
        "limit": "int",
        "max_results": "int",
        "memory_types": "Sequence[str]",
        "min_score": "float",
        "offset": "int",
        "project_id": "str",
        "query": "str",
        "ranker": "str",
        "session": "str",
        "tags": "Sequence[str]",
        "threshold": "float",
        "to": "str | date | datetime",
        "topics": "Sequence[str]",
        "types": "Sequence[str]",
        "valid_at": "str | date | datetime",
        "valid_from": "str | date | datetime",
        "valid_to": "str | date | datetime",
    },
    total=False,
)



@dataclass(slots=True)
class About:
    aliases: list[str] = _field(default_factory=list)
    counts: Counts = _field(default_factory=lambda: Counts())
    created_at: datetime = ZERO_TIME
    documents: list[Statement] = _field(default_factory=list)
    first_seen: datetime | None = None
    id: str = ""
    kind: str = ""
    last_seen: datetime | None = None
    memories: list[Statement] = _field(default_factory=list)
    mentions: int = 0
    messages: list[Statement] = _field(default_factory=list)
    name: str = ""
    recall_files: list[Item] = _field(default_factory=list)
    related: list[Named] = _field(default_factory=list)
    truncated: bool = False
    updated_at: datetime = ZERO_TIME
    where: list[Where] = _field(default_factory=list)
    extra: dict[str, Any] = _field(default_factory=dict)



class AppendBody(TypedDict, total=False):
    container: str
    # your own name for the conversation; made if it is new
    conversation: str
    # a time to come; the whole conversation is removed for good then
    forget_after: str | date | datetime
    messages: Sequence[NewMessage]
    # other content under a known id replaces it
    replace: bool



@dataclass(slots=True)
class AppendResult:
    error: str = ""
    external_id: str = ""
    id: str = ""
    status: str = ""
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class Appended:
    container: str = ""
    conversation: str = ""
    conversation_id: str = ""
    document_id: str = ""
    items: list[AppendResult] = _field(default_factory=list)
    logged: int = 0
    # the stretch of the conversation that is open now; the same as document_id
    recall_file_id: str = ""
    # of the messages that are new or replaced, estimated
    tokens_logged: int = 0
    # of the open stretch so far
    total_tokens: int = 0
    extra: dict[str, Any] = _field(default_factory=dict)



class ArchiveBody(TypedDict, total=False):
    # path of the container to archive into; none: the parent
    into: str



@dataclass(slots=True)
class Archived:
    container: str = ""
    containers_moved: list[Moved] = _field(default_factory=list)
    conversations: int = 0
    conversations_renamed: list[Renamed] = _field(default_factory=list)
    documents: int = 0
    edges: int = 0
    into: str = ""
    into_id: str = ""
    memories: int = 0
    nodes_removed: list[str] = _field(default_factory=list)
    state: str = ""
    trash: int = 0
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class Artifact:
    name: str = ""
    size: int = 0
    type: str = ""
    url: str = ""
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class Audit:
    action: str = ""
    actor_id: str = ""
    address: str = ""
    at: datetime = ZERO_TIME
    details: dict[str, Any] = _field(default_factory=dict)
    owner_id: str = ""
    resource: str = ""
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class Backup:
    made_at: datetime = ZERO_TIME
    path: str = ""
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class BatchItem:
    document: Receipt = _field(default_factory=lambda: Receipt())
    error: Any = None
    status: int = 0
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class Branch:
    children: list[Branch] = _field(default_factory=list)
    container: str = ""
    description: str = ""
    document_count: int = 0
    dormant: bool = False
    id: str = ""
    memory_count: int = 0
    name: str = ""
    type: str = ""
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class Brief:
    degraded: str = ""
    hits: list[BriefHit] = _field(default_factory=list)
    left_out: list[LeftOut] = _field(default_factory=list)
    meant: list[Meant] = _field(default_factory=list)
    message: str = ""
    text: str = ""
    tokens: int = 0
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class BriefHit:
    clipped: bool = False
    container: str = ""
    defining: bool = False
    document_id: str = ""
    id: str = ""
    long: bool = False
    mark: int = 0
    message_id: str = ""
    relevance: float = 0.0
    title: str = ""
    type: str = ""
    when: datetime = ZERO_TIME
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class Buried:
    deleted_at: datetime = ZERO_TIME
    id: str = ""
    label: str = ""
    node_id: str = ""
    purge_at: datetime = ZERO_TIME
    type: str = ""
    extra: dict[str, Any] = _field(default_factory=dict)



class ChatBody(TypedDict, total=False):
    # where it is kept; all that the key may read is recalled
    container: str
    # your own name for the conversation, default chat; made if it is new
    conversation: str
    # its id, instead
    conversation_id: str
    # your own id of the message: the same again is logged once and answered once
    id: str
    # default true
    include_memories: bool
    memory_options: MemoryOpts
    message: str
    # a model of the configured provider; none: the configured one
    model: str
    session: str
    # who says it
    speaker: str
    # answer with server-sent events: delta, then done or error
    stream: bool
    system_prompt: str



@dataclass(slots=True)
class ChatLog:
    container: str = ""
    conversation: str = ""
    conversation_id: str = ""
    error: str = ""
    message_id: str = ""
    recall_file_id: str = ""
    tokens_logged: int = 0
    total_tokens: int = 0
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class ChatReply:
    degraded: str = ""
    finish_reason: str = ""
    id: str = ""
    log: ChatLog = _field(default_factory=lambda: ChatLog())
    logged_to: str = ""
    memories_used: list[MemoryUsed] = _field(default_factory=list)
    model: str = ""
    replayed: bool = False
    response: str = ""
    usage: ChatUsage = _field(default_factory=lambda: ChatUsage())
    extra: dict[str, Any] = _field(default_factory=dict)

    @property
    def content(self) -> str:
        """The same as response."""
        return self.response



@dataclass(slots=True)
class ChatUsage:
    completion_tokens: int = 0
    memory_tokens: int = 0
    prompt_tokens: int = 0
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class Check:
    detail: str = ""
    status: str = ""
    took_ms: float = 0.0
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class Child:
    container: str = ""
    description: str = ""
    dormant: bool = False
    id: str = ""
    name: str = ""
    type: str = ""
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class Chunk:
    content: str = ""
    document_id: str = ""
    end: int = 0
    heading: list[str] = _field(default_factory=list)
    id: str = ""
    kind: str = ""
    lines: list[int] = _field(default_factory=list)
    message_id: str = ""
    node_id: str = ""
    page: int = 0
    place: str = ""
    seq: int = 0
    start: int = 0
    symbol: str = ""
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class Concept:
    aliases: list[str] = _field(default_factory=list)
    container: str = ""
    created_at: datetime = ZERO_TIME
    description: str = ""
    distance: int = 0
    dormant: bool = False
    id: str = ""
    kind: str = ""
    mentions: int = 0
    name: str = ""
    recall_file_count: int = 0
    related_nodes: list[RelatedNode] = _field(default_factory=list)
    score: float = 0.0
    type: str = ""
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class Conversation:
    container: str = ""
    conversation: str = ""
    created_at: datetime = ZERO_TIME
    document_id: str = ""
    forget_after: datetime | None = None
    id: str = ""
    message_count: int = 0
    metadata: dict[str, Any] = _field(default_factory=dict)
    node_id: str = ""
    tags: list[str] = _field(default_factory=list)
    title: str = ""
    tokens: int = 0
    updated_at: datetime = ZERO_TIME
    extra: dict[str, Any] = _field(default_factory=dict)



class ConversationPatch(TypedDict, total=False):
    # where it goes, with all that was said in it and what is known from it alone; made if it is new
    container: str
    # ISO 8601, or null to keep it
    forget_after: str | date | datetime | None
    # merged; null removes a name
    metadata: Mapping[str, Any]
    tags: Sequence[str]
    title: str



@dataclass(slots=True)
class Counts:
    containers: int = 0
    documents: int = 0
    memories: int = 0
    messages: int = 0
    recall_files: int = 0
    extra: dict[str, Any] = _field(default_factory=dict)



class CreateDocumentsRequest(TypedDict, total=False):
    documents: Sequence[NewDocument]



class DateRange(TypedDict, total=False):
    # ISO 8601 date or time
    end: str | date | datetime
    # ISO 8601 date or time
    start: str | date | datetime



@dataclass(slots=True)
class DefiningMemory:
    confidence: float = 0.0
    container: str = ""
    context: str = ""
    detected_at: datetime = ZERO_TIME
    id: str = ""
    is_latest: bool = False
    occurred_at: datetime | None = None
    source_message_id: str = ""
    source_recall_file_id: str = ""
    summary: str = ""
    tags: list[str] = _field(default_factory=list)
    type: str = ""
    extra: dict[str, Any] = _field(default_factory=dict)

    @property
    def date(self) -> str:
        """The day when it occurred, or else was detected: YYYY-MM-DD."""
        return (self.occurred_at or self.detected_at).date().isoformat()



@dataclass(slots=True)
class Deleted:
    bytes: int = 0
    chunks: int = 0
    documents: int = 0
    edges: int = 0
    entities: int = 0
    files: int = 0
    ids: list[str] = _field(default_factory=list)
    jobs: int = 0
    memories: int = 0
    messages: int = 0
    nodes: int = 0
    # read it again at /v1/receipts/{id}
    receipt_id: str = ""
    scrub: Scrub | None = None
    # of a soft deletion: where it lies, and until when
    trash: Buried | None = None
    vectors: int = 0
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class Deletion:
    action: str = ""
    actor_id: str = ""
    node_id: str = ""
    owner_id: str = ""
    parts: list[str] = _field(default_factory=list)
    receipt_id: str = ""
    removed: Removal = _field(default_factory=lambda: Removal())
    removed_at: datetime = ZERO_TIME
    resource: str = ""
    scrub: Scrub = _field(default_factory=lambda: Scrub())
    segment: str = ""
    why: str = ""
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class Delta:
    after: Any = None
    at: datetime = ZERO_TIME
    authored_by: str = ""
    before: Any = None
    hash: str = ""
    id: str = ""
    node_id: str = ""
    op: str = ""
    reason: str = ""
    record_id: str = ""
    seq: int = 0
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class Diff:
    fields: list[Difference] = _field(default_factory=list)
    from_: datetime = ZERO_TIME
    record_id: str = ""
    text: str = ""
    to: datetime = ZERO_TIME
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class Difference:
    after: Any = None
    before: Any = None
    field: str = ""
    extra: dict[str, Any] = _field(default_factory=dict)



class DoctorRequest(TypedDict, total=False):
    repair: bool



@dataclass(slots=True)
class Document:
    access_count: int = 0
    category: str = ""
    chunk_count: int = 0
    container: str = ""
    content: str = ""
    content_hash: str = ""
    content_type: str = ""
    created_at: datetime = ZERO_TIME
    custom_id: str = ""
    embedded_count: int = 0
    forget_after: datetime | None = None
    id: str = ""
    is_latest: bool = False
    keywords: Keywords = _field(default_factory=lambda: Keywords())
    language: str = ""
    last_accessed_at: datetime | None = None
    metadata: dict[str, Any] = _field(default_factory=dict)
    node_id: str = ""
    occurred_at: datetime | None = None
    origin: str = ""
    previous_id: str = ""
    reason: str = ""
    size: int = 0
    source_url: str = ""
    status: str = ""
    summary: str = ""
    tags: list[str] = _field(default_factory=list)
    title: str = ""
    updated_at: datetime = ZERO_TIME
    version: int = 0
    extra: dict[str, Any] = _field(default_factory=dict)



class DocumentPatch(TypedDict, total=False):
    # ISO 8601, or null to keep it
    forget_after: str | date | datetime | None
    # merged; null removes a name
    metadata: Mapping[str, Any]
    tags: Sequence[str]
    title: str



@dataclass(slots=True)
class Edge:
    confidence: float = 0.0
    created_at: datetime | None = None
    metadata: dict[str, Any] = _field(default_factory=dict)
    source: str = ""
    target: str = ""
    type: str = ""
    weight: float = 0.0
    extra: dict[str, Any] = _field(default_factory=dict)



class EdgeBody(TypedDict, total=False):
    # 0..1, default 1
    confidence: float
    metadata: Mapping[str, Any]
    # id of a container, document, message, memory, entity or conversation
    source: str
    target: str
    # contains, relates_to, mentions, discussed_in, updates, extends, derives, supersedes, references,
    # precedes
    type: str
    # default 1
    weight: float



@dataclass(slots=True)
class Entity:
    aliases: list[str] = _field(default_factory=list)
    created_at: datetime = ZERO_TIME
    id: str = ""
    kind: str = ""
    mentions: int = 0
    name: str = ""
    updated_at: datetime = ZERO_TIME
    extra: dict[str, Any] = _field(default_factory=dict)



class EntityPatch(TypedDict, total=False):
    aliases: Sequence[str]
    # person, organisation, place, product, or a word of your own
    kind: str
    # the old one stays as an alias, unless aliases are given too
    name: str



@dataclass(slots=True)
class Event:
    at: datetime = ZERO_TIME
    container: str = ""
    data: dict[str, Any] = _field(default_factory=dict)
    id: str = ""
    node_id: str = ""
    record_id: str = ""
    type: str = ""
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class FaultBody:
    category: str = ""
    code: str = ""
    details: dict[str, Any] = _field(default_factory=dict)
    hint: str = ""
    message: str = ""
    request_id: str = ""
    retryable: bool = False
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class FileEvent:
    at: datetime = ZERO_TIME
    error: str = ""
    file_id: str = ""
    from_: str = ""
    size_after: int = 0
    size_before: int = 0
    to: str = ""
    trigger: str = ""
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class FileInfo:
    created_at: datetime = ZERO_TIME
    document_id: str = ""
    id: str = ""
    last_used_at: datetime = ZERO_TIME
    name: str = ""
    ratio: float = 0.0
    role: str = ""
    sealed_size: int = 0
    sha256: str = ""
    size: int = 0
    state: str = ""
    tier: str = ""
    type: str = ""
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class FileState:
    id: str = ""
    # active, dormant or rehydrating
    state: str = ""
    # hot, warm or cold
    tier: str = ""
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class Found:
    meant: list[Meant] = _field(default_factory=list)
    message: str = ""
    nothing_relevant: bool = False
    query: str = ""
    results: list[FoundHit] = _field(default_factory=list)
    # the same as stats
    search_stats: SearchStats = _field(default_factory=lambda: SearchStats())
    stats: SearchStats = _field(default_factory=lambda: SearchStats())
    suggestion: str = ""
    total: int = 0
    extra: dict[str, Any] = _field(default_factory=dict)

    def __iter__(self) -> Iterator[FoundHit]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def __getitem__(self, index: int) -> FoundHit:
        return self.results[index]



@dataclass(slots=True)
class FoundHit:
    chunk: HitChunk | None = None
    container: str = ""
    content: str = ""
    created_at: datetime = ZERO_TIME
    document: HitDocument | None = None
    document_content: str = ""
    id: str = ""
    matching_chunks: int = 0
    memories: list[Memory] = _field(default_factory=list)
    memory: Memory | None = None
    message: HitMessage | None = None
    metadata: dict[str, Any] = _field(default_factory=dict)
    occurred_at: datetime | None = None
    parts: dict[str, float] = _field(default_factory=dict)
    related: list[Related] = _field(default_factory=list)
    relevance: float = 0.0
    # the same as score
    relevance_score: float = 0.0
    relevant: bool = False
    score: float = 0.0
    similarity: float = 0.0
    superseded: list[Superseded] = _field(default_factory=list)
    tags: list[str] = _field(default_factory=list)
    type: str = ""
    extra: dict[str, Any] = _field(default_factory=dict)

    @property
    def topic(self) -> str:
        """The title of the document or conversation, or the kind of memory."""
        if self.message and self.message.conversation_title:
            return self.message.conversation_title
        if self.document and self.document.title:
            return self.document.title
        return self.memory.kind if self.memory else self.type

    @property
    def summary(self) -> str:
        """The summary of the document if it has one, or else what was found."""
        return (self.document.summary if self.document else "") or self.content

    @property
    def transcript(self) -> str:
        """The whole text that the hit stands in; "" unless the search had include_transcripts."""
        return self.document_content



@dataclass(slots=True)
class Grant:
    container: str = ""
    expires_at: datetime | None = None
    grant_type: str = ""
    granted_at: datetime = ZERO_TIME
    grantor_user_id: str = ""
    id: str = ""
    revoked_at: datetime | None = None
    subject_id: str = ""
    subject_type: str = ""
    target_node_id: str = ""
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class HealthBody:
    checks: dict[str, Check] = _field(default_factory=dict)
    status: str = ""
    time: datetime | None = None
    uptime_seconds: float = 0.0
    version: str = ""
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class Hit:
    chunk: HitChunk | None = None
    container: str = ""
    content: str = ""
    created_at: datetime = ZERO_TIME
    document: HitDocument | None = None
    document_content: str = ""
    id: str = ""
    matching_chunks: int = 0
    memories: list[Memory] = _field(default_factory=list)
    memory: Memory | None = None
    message: HitMessage | None = None
    metadata: dict[str, Any] = _field(default_factory=dict)
    occurred_at: datetime | None = None
    parts: dict[str, float] = _field(default_factory=dict)
    related: list[Related] = _field(default_factory=list)
    relevance: float = 0.0
    relevant: bool = False
    score: float = 0.0
    similarity: float = 0.0
    superseded: list[Superseded] = _field(default_factory=list)
    tags: list[str] = _field(default_factory=list)
    type: str = ""
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class HitChunk:
    end: int = 0
    heading: list[str] = _field(default_factory=list)
    id: str = ""
    lines: list[int] = _field(default_factory=list)
    page: int = 0
    place: str = ""
    seq: int = 0
    start: int = 0
    symbol: str = ""
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class HitDocument:
    content_type: str = ""
    id: str = ""
    source_url: str = ""
    summary: str = ""
    title: str = ""
    version: int = 0
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class HitMessage:
    conversation: str = ""
    conversation_title: str = ""
    id: str = ""
    record_id: str = ""
    role: str = ""
    session: str = ""
    span: list[int] = _field(default_factory=list)
    speaker: str = ""
    time: datetime | None = None
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class Hood:
    depth: int = 0
    edges: list[Edge] = _field(default_factory=list)
    nodes: list[Near] = _field(default_factory=list)
    of: list[str] = _field(default_factory=list)
    truncated: bool = False
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class Identity:
    key: Key = _field(default_factory=lambda: Key())
    # whose records the key opens, with the user's role there; without it, the user's own
    organisation: Standing | None = None
    read_only: bool = False
    user: User = _field(default_factory=lambda: User())
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class ImportAnswer:
    items: list[ImportResult] = _field(default_factory=list)
    links: int = 0
    extra: dict[str, Any] = _field(default_factory=dict)



class ImportItem(TypedDict, total=False):
    # messages of a conversation
    append: AppendBody
    # when the document was made, where it comes from
    created_at: str | date | datetime
    # known by its custom_id
    document: NewDocument
    # its id in the export, the same in every export of the same source
    key: str
    # known by the key
    memory: NewMemory
    # of the conversation
    title: str



class ImportItemsRequest(TypedDict, total=False):
    # of the links
    container: str
    # at most 200
    items: Sequence[ImportItem]
    # from: id of a record; to: an id, a custom_id, a conversation, a key or a title
    links: Sequence[ImportLink]



@dataclass(slots=True)
class ImportResult:
    deleted: int = 0
    failed: str = ""
    id: str = ""
    new: int = 0
    replaced: int = 0
    unchanged: int = 0
    waiting: bool = False
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class Item:
    at: datetime | None = None
    id: str = ""
    label: str = ""
    type: str = ""
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class Key:
    container: str = ""
    created_at: datetime = ZERO_TIME
    expires_at: datetime | None = None
    hint: str = ""
    id: str = ""
    last_used_at: datetime | None = None
    name: str = ""
    organisation_id: str = ""
    persona: str = ""
    read_only: bool = False
    revoked_at: datetime | None = None
    role: str = ""
    third_party: bool = False
    unlimited: bool = False
    user_id: str = ""
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class KeywordFrequency:
    frequency: int = 0
    keyword: str = ""
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class Keywords:
    dates: list[str] = _field(default_factory=list)
    entities: list[str] = _field(default_factory=list)
    relationships: list[str] = _field(default_factory=list)
    topics: list[str] = _field(default_factory=list)
    extra: dict[str, Any] = _field(default_factory=dict)



class KeywordsInput(TypedDict, total=False):
    dates: Sequence[str]
    entities: Sequence[str]
    relationships: Sequence[str]
    topics: Sequence[str]



@dataclass(slots=True)
class Kind:
    accepts: str = ""
    format: str = ""
    how: str = ""
    name: str = ""
    title: str = ""
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class LeftOut:
    id: str = ""
    reason: str = ""
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class Limits:
    files: int = 0
    requests: int = 0
    sessions: int = 0
    storage: int = 0
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class LinkedNode:
    id: str = ""
    name: str = ""
    type: str = ""
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class MadeKey:
    container: str = ""
    created_at: datetime = ZERO_TIME
    expires_at: datetime | None = None
    hint: str = ""
    id: str = ""
    # shown this once
    key: str = ""
    last_used_at: datetime | None = None
    name: str = ""
    organisation_id: str = ""
    persona: str = ""
    read_only: bool = False
    revoked_at: datetime | None = None
    role: str = ""
    third_party: bool = False
    unlimited: bool = False
    user_id: str = ""
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class Manifest:
    conversations: int = 0
    documents: int = 0
    entities: list[Named] = _field(default_factory=list)
    memories: int = 0
    messages: int = 0
    newest: list[Item] = _field(default_factory=list)
    recall_files: int = 0
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class Match:
    aliases: list[str] = _field(default_factory=list)
    created_at: datetime = ZERO_TIME
    id: str = ""
    kind: str = ""
    mentions: int = 0
    name: str = ""
    score: float = 0.0
    updated_at: datetime = ZERO_TIME
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class Meant:
    memory: str = ""
    name: str = ""
    words: str = ""
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class Member:
    added_at: datetime = ZERO_TIME
    added_by: str = ""
    changed_at: datetime = ZERO_TIME
    name: str = ""
    organisation: str = ""
    organisation_id: str = ""
    role: str = ""
    user_id: str = ""
    extra: dict[str, Any] = _field(default_factory=dict)



class MemberRole(TypedDict, total=False):
    # member, if left out
    role: Literal["owner", "admin", "member", "viewer"]



@dataclass(slots=True)
class Memory:
    confidence: float = 0.0
    container: str = ""
    content: str = ""
    deduplicated: bool = False
    entities: list[str] = _field(default_factory=list)
    extractor: str = ""
    forget_after: datetime | None = None
    id: str = ""
    is_latest: bool = False
    kind: str = ""
    metadata: dict[str, Any] = _field(default_factory=dict)
    node_id: str = ""
    occurred_at: datetime | None = None
    origin: str = ""
    reason: str = ""
    recorded_at: datetime = ZERO_TIME
    retired_at: datetime | None = None
    retired_by: str = ""
    slot: str = ""
    sources: list[Source] = _field(default_factory=list)
    state: str = ""
    subject: str = ""
    tags: list[str] = _field(default_factory=list)
    updated_at: datetime = ZERO_TIME
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    value: str = ""
    extra: dict[str, Any] = _field(default_factory=dict)



class MemoryOpts(TypedDict, total=False):
    # default true
    include_defining: bool
    # 1-200, default 20
    max_memories: int
    time_range: DateRange
    # at most; default min(25 % of what is free in the model's window, 8,000)
    token_budget: int



class MemoryPatch(TypedDict, total=False):
    confidence: float
    # ISO 8601, or null to keep it
    forget_after: str | date | datetime | None
    kind: str
    # merged; null removes a name
    metadata: Mapping[str, Any]
    # archived: kept and listed, and out of searches unless they filter by status
    state: Literal["active", "archived"]
    tags: Sequence[str]



@dataclass(slots=True)
class MemoryUsed:
    date: str = ""
    id: str = ""
    recall_file_id: str = ""
    relevance_score: float = 0.0
    topic: str = ""
    type: str = ""
    extra: dict[str, Any] = _field(default_factory=dict)



class MergeBody(TypedDict, total=False):
    # id of the entity that becomes one with this
    other: str



@dataclass(slots=True)
class Message:
    content: str = ""
    conversation_id: str = ""
    created_at: datetime = ZERO_TIME
    document_id: str = ""
    external_id: str = ""
    forget_after: datetime | None = None
    id: str = ""
    metadata: dict[str, Any] = _field(default_factory=dict)
    node_id: str = ""
    role: str = ""
    seq: int = 0
    session: str = ""
    speaker: str = ""
    time: datetime | None = None
    tokens: int = 0
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class MessageContext:
    after: list[Message] = _field(default_factory=list)
    before: list[Message] = _field(default_factory=list)
    message: Message = _field(default_factory=lambda: Message())
    extra: dict[str, Any] = _field(default_factory=dict)



class MoveBody(TypedDict, total=False):
    # the new path; what is below goes along
    container: str



@dataclass(slots=True)
class Moved:
    from_: str = ""
    to: str = ""
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class Named:
    id: str = ""
    kind: str = ""
    mentions: int = 0
    name: str = ""
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class Near:
    container: str = ""
    distance: int = 0
    dormant: bool = False
    id: str = ""
    kind: str = ""
    label: str = ""
    type: str = ""
    extra: dict[str, Any] = _field(default_factory=dict)



class NewDocument(TypedDict, total=False):
    # dotted path; none means default
    container: str
    # the text, up to 500,000 characters
    content: str
    # text, markdown, html, code, json, csv, or a media type; found out where it is not given
    content_type: str
    # your own id: a later save with the same one is a new version; another one is another document, also
    # where the text is the same
    custom_id: str
    # the bytes of a file
    file_base64: str
    filename: str
    # a time to come; the document is removed for good then
    forget_after: str | date | datetime
    metadata: Mapping[str, Any]
    # ISO 8601 date or time
    occurred_at: str | date | datetime
    # the same as container
    project_id: str
    # where it came from: user, agent, tool, web, import
    source: str
    source_url: str
    tags: Sequence[str]
    title: str
    # id of the document that this is a new version of
    updates: str
    # the same as updates
    updates_memory_id: str
    # an address to fetch
    url: str



class NewGrant(TypedDict, total=False):
    # the same
    container: str
    # when it ends; without it, when it is revoked
    expires_at: str | date | datetime
    # read (the default) or read_write; third parties may only read
    grant_type: str
    # a persona, by the id or path of its container, or the id of a third party's key
    subject_id: str
    # the container, by id or path: this one, and nothing above or below it
    target_node_id: str



class NewKey(TypedDict, total=False):
    # bind the key to this subtree
    container: str
    # ISO 8601 date or time
    expires_at: str | date | datetime
    name: str
    # a key to the records of this organisation, as far as your role there reaches
    organisation: str
    # bind the key to this persona: a container of type persona, by id or path; it has that subtree and what
    # is granted to it
    persona: str
    read_only: bool
    # user (default) or admin
    role: str
    # a key for a connected application: it reads what is granted to it, and nothing else
    third_party: bool
    # admins only: whose key
    user_id: str



class NewMemory(TypedDict, total=False):
    # 0..1, default 1
    confidence: float
    container: str
    # one statement
    content: str
    # ISO 8601 date or time
    forget_after: str | date | datetime
    # fact (default), preference, episode, insight, task, decision, milestone, event, turning_point
    kind: str
    metadata: Mapping[str, Any]
    # ISO 8601 date or time
    occurred_at: str | date | datetime
    # why
    reason: str
    tags: Sequence[str]
    # the memory that this one corrects; it stays, no longer latest
    updates: str



class NewMessage(TypedDict, total=False):
    # a text, or a list of parts, which are kept as one text, a line each
    content: str | Sequence[Any]
    # a time to come; the message is removed for good then
    forget_after: str | date | datetime
    # your own id; the same id and content again changes nothing
    id: str
    metadata: Mapping[str, Any]
    role: str
    session: str
    speaker: str
    # ISO 8601 date or time
    time: str | date | datetime



class NewNode(TypedDict, total=False):
    # dotted path; missing ancestors are made
    container: str
    description: str
    # project, topic, concept or persona
    type: str



class NewOrganisation(TypedDict, total=False):
    name: str
    # the user who is its first owner; without it, you
    owner_id: str



class NewUser(TypedDict, total=False):
    email: str
    external_id: str
    name: str
    role: str
    settings: Mapping[str, Any]



@dataclass(slots=True)
class Node:
    created_at: datetime = ZERO_TIME
    depth: int = 0
    description: str = ""
    document_count: int = 0
    id: str = ""
    keywords: Keywords = _field(default_factory=lambda: Keywords())
    memory_count: int = 0
    name: str = ""
    parent_id: str = ""
    path: str = ""
    summary: str = ""
    type: str = ""
    updated_at: datetime = ZERO_TIME
    extra: dict[str, Any] = _field(default_factory=dict)



class NodePatch(TypedDict, total=False):
    description: str
    keywords: KeywordsInput
    # as people call it; the path stays
    name: str
    # at most 200 words; empty: it follows the content again
    summary: str
    # project, topic, concept or persona
    type: str



@dataclass(slots=True)
class Organisation:
    created_at: datetime = ZERO_TIME
    id: str = ""
    name: str = ""
    role: str = ""
    settings: dict[str, Any] = _field(default_factory=dict)
    extra: dict[str, Any] = _field(default_factory=dict)



class OrganisationPatch(TypedDict, total=False):
    # takes an owner
    name: str
    # admins of the server only; merged as those of a user: limits, retention_days
    settings: Mapping[str, Any]



@dataclass(slots=True)
class OwnReport:
    deleted: int = 0
    documents: int = 0
    dry_run: bool = False
    edges: int = 0
    memories: int = 0
    messages: int = 0
    no_content: list[str] = _field(default_factory=list)
    nodes: int = 0
    skipped: int = 0
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class Picture:
    edges: list[Edge] = _field(default_factory=list)
    nodes: list[Vertex] = _field(default_factory=list)
    truncated: bool = False
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class Problem:
    id: str = ""
    reason: str = ""
    where: str = ""
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class Profile:
    container: str = ""
    recent_context: list[str] = _field(default_factory=list)
    relevant_memories: list[Hit] = _field(default_factory=list)
    sources: list[str] = _field(default_factory=list)
    static_facts: list[str] = _field(default_factory=list)
    extra: dict[str, Any] = _field(default_factory=dict)



class ProvisionBody(TypedDict, total=False):
    # one container, instead of nodes
    container: str
    description: str
    # 1 to 100 containers; all are made, or none
    nodes: Sequence[ProvisionNode]
    # project, topic, concept or persona
    type: str



class ProvisionNode(TypedDict, total=False):
    # dotted path, at most five levels; missing ancestors are made
    container: str
    description: str
    keywords: KeywordsInput
    # as people call it; default the last part of the path
    name: str
    # at most 200 words; default: worked out from the content
    summary: str
    # project, topic, concept or persona
    type: str



class PutGraphNodeRequest(TypedDict, total=False):
    # of an entity
    aliases: Sequence[str]
    description: str
    # of an entity; default person
    kind: str
    name: str
    # id or path of the container above it; null: none
    parent_id: str | None
    # project, topic, concept, persona; entity, or the kind of one
    type: str



class RebuildRequest(TypedDict, total=False):
    containers: str | Sequence[str]
    # next_cursor of the answer before: a long work is done in stretches of about ten seconds
    cursor: str
    # only this one
    document_id: str
    what: Literal["summaries", "embeddings", "graph", "index"]



@dataclass(slots=True)
class Rebuilt:
    missing: list[Recovery] = _field(default_factory=list)
    next_cursor: str = ""
    records: int = 0
    regenerated: dict[str, int] = _field(default_factory=dict)
    total: int = 0
    what: str = ""
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class RecallFile:
    artifacts: list[Artifact] = _field(default_factory=list)
    container: str = ""
    conversation: str = ""
    conversation_id: str = ""
    conversation_title: str = ""
    created_at: datetime = ZERO_TIME
    description: str = ""
    finalized_at: datetime | None = None
    folder_name: str = ""
    id: str = ""
    keyword_frequencies: list[KeywordFrequency] = _field(default_factory=list)
    keywords: list[str] = _field(default_factory=list)
    last_accessed_at: datetime | None = None
    linked_nodes: list[LinkedNode] = _field(default_factory=list)
    message_count: int = 0
    previous_id: str = ""
    status: str = ""
    storage_state: str = ""
    summary: str = ""
    token_count: int = 0
    topic: str = ""
    transcript: str = ""
    trigger: str = ""
    trigger_detail: str = ""
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class Receipt:
    access_count: int = 0
    category: str = ""
    chunk_count: int = 0
    container: str = ""
    content: str = ""
    content_hash: str = ""
    content_type: str = ""
    created_at: datetime = ZERO_TIME
    custom_id: str = ""
    deduplicated: bool = False
    embedded_count: int = 0
    forget_after: datetime | None = None
    id: str = ""
    is_latest: bool = False
    keywords: Keywords = _field(default_factory=lambda: Keywords())
    language: str = ""
    last_accessed_at: datetime | None = None
    metadata: dict[str, Any] = _field(default_factory=dict)
    node_id: str = ""
    occurred_at: datetime | None = None
    origin: str = ""
    previous_id: str = ""
    reason: str = ""
    size: int = 0
    source_url: str = ""
    status: str = ""
    summary: str = ""
    tags: list[str] = _field(default_factory=list)
    title: str = ""
    updated_at: datetime = ZERO_TIME
    version: int = 0
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class Recovery:
    detail: str = ""
    document_id: str = ""
    from_: str = ""
    missing: list[str] = _field(default_factory=list)
    regenerated: list[str] = _field(default_factory=list)
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class Rederivation:
    add: list[Memory] = _field(default_factory=list)
    document_id: str = ""
    keep: int = 0
    retire: list[Memory] = _field(default_factory=list)
    extra: dict[str, Any] = _field(default_factory=dict)



class RederiveRequest(TypedDict, total=False):
    # false: only say what would change
    apply: bool
    containers: str | Sequence[str]
    # next_cursor of the answer before: a long work is done in stretches of about ten seconds
    cursor: str
    # only this one
    document_id: str
    # read by the configured model, and compare with what models drew, instead of the rules
    model: bool



@dataclass(slots=True)
class Rederived:
    add: int = 0
    applied: bool = False
    changed: int = 0
    changes: list[Rederivation] = _field(default_factory=list)
    documents: int = 0
    keep: int = 0
    next_cursor: str = ""
    retire: int = 0
    total: int = 0
    unread: list[Unread] = _field(default_factory=list)
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class Related:
    edge: str = ""
    id: str = ""
    label: str = ""
    weight: float = 0.0
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class RelatedMemory:
    confidence: float = 0.0
    container: str = ""
    content: str = ""
    deduplicated: bool = False
    distance: int = 0
    edge_confidence: float = 0.0
    entities: list[str] = _field(default_factory=list)
    extractor: str = ""
    forget_after: datetime | None = None
    id: str = ""
    incoming: bool = False
    is_latest: bool = False
    kind: str = ""
    metadata: dict[str, Any] = _field(default_factory=dict)
    node_id: str = ""
    occurred_at: datetime | None = None
    origin: str = ""
    reason: str = ""
    recorded_at: datetime = ZERO_TIME
    relationship: str = ""
    retired_at: datetime | None = None
    retired_by: str = ""
    slot: str = ""
    sources: list[Source] = _field(default_factory=list)
    state: str = ""
    subject: str = ""
    tags: list[str] = _field(default_factory=list)
    updated_at: datetime = ZERO_TIME
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    value: str = ""
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class RelatedNode:
    dormant: bool = False
    id: str = ""
    name: str = ""
    relationship: str = ""
    type: str = ""
    weight: float = 0.0
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class Removal:
    bytes: int = 0
    chunks: int = 0
    documents: int = 0
    edges: int = 0
    entities: int = 0
    files: int = 0
    ids: list[str] = _field(default_factory=list)
    jobs: int = 0
    memories: int = 0
    messages: int = 0
    nodes: int = 0
    vectors: int = 0
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class Renamed:
    from_: str = ""
    id: str = ""
    to: str = ""
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class Report:
    conversations: int = 0
    documents: Tally = _field(default_factory=lambda: Tally())
    dry_run: bool = False
    files: int = 0
    kind: str = ""
    left_out: dict[str, int] = _field(default_factory=dict)
    links: int = 0
    memories: Tally = _field(default_factory=lambda: Tally())
    messages: Tally = _field(default_factory=lambda: Tally())
    minutes: float = 0.0
    name: str = ""
    pages: int = 0
    problems: list[Problem] = _field(default_factory=list)
    seconds: float = 0.0
    title: str = ""
    type: str = ""
    unread: int = 0
    waiting: int = 0
    extra: dict[str, Any] = _field(default_factory=dict)



class RestoreBody(TypedDict, total=False):
    # the moment whose state is to return
    at: str | date | datetime
    reason: str



@dataclass(slots=True)
class Restored:
    id: str = ""
    restored: bool = False
    extra: dict[str, Any] = _field(default_factory=dict)



class RetryJobsRequest(TypedDict, total=False):
    # everything that has failed
    all: bool
    # documents
    ids: Sequence[str]



@dataclass(slots=True)
class Scrub:
    backups: list[Backup] = _field(default_factory=list)
    bytes: int = 0
    caches: int = 0
    files: int = 0
    held: list[str] = _field(default_factory=list)
    pieces: int = 0
    scrubbed_at: datetime | None = None
    shared: int = 0
    state: str = ""
    tries: int = 0
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class SearchStats:
    cached: bool = False
    candidates: int = 0
    degraded: str = ""
    instead: dict[str, list[str]] = _field(default_factory=dict)
    nodes: int = 0
    ranker: str = ""
    stage_ms: dict[str, float] = _field(default_factory=dict)
    took_ms: float = 0.0
    why_not: str = ""
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class Shell:
    children: list[Child] = _field(default_factory=list)
    created_at: datetime = ZERO_TIME
    depth: int = 0
    description: str = ""
    document_count: int = 0
    dormant: bool = False
    id: str = ""
    keywords: Keywords = _field(default_factory=lambda: Keywords())
    manifest: Manifest = _field(default_factory=lambda: Manifest())
    memory_count: int = 0
    name: str = ""
    parent_id: str = ""
    path: str = ""
    summary: str = ""
    type: str = ""
    updated_at: datetime = ZERO_TIME
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class Source:
    document_id: str = ""
    end: int = 0
    message_id: str = ""
    quote: str = ""
    start: int = 0
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class Standing:
    id: str = ""
    name: str = ""
    role: str = ""
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class Statement:
    at: datetime = ZERO_TIME
    container: str = ""
    id: str = ""
    is_latest: bool = False
    kind: str = ""
    speaker: str = ""
    text: str = ""
    weight: float = 0.0
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class Stats:
    chunks: int = 0
    chunks_embedded: int = 0
    conversations: int = 0
    documents: int = 0
    documents_by_status: dict[str, int] = _field(default_factory=dict)
    documents_by_type: dict[str, int] = _field(default_factory=dict)
    documents_this_week: int = 0
    embedding_coverage: float = 0.0
    memories: int = 0
    messages: int = 0
    nodes: int = 0
    storage_bytes: int = 0
    extra: dict[str, Any] = _field(default_factory=dict)



class SuggestBody(TypedDict, total=False):
    content: str
    title: str



@dataclass(slots=True)
class Suggestion:
    confidence: float = 0.0
    container: str = ""
    new: bool = False
    wanted: str = ""
    why: str = ""
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class Superseded:
    by: SupersededBy | None = None
    content: str = ""
    id: str = ""
    reason: str = ""
    retired_at: datetime | None = None
    valid_to: datetime | None = None
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class SupersededBy:
    content: str = ""
    id: str = ""
    since: datetime | None = None
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class Tally:
    deleted: int = 0
    failed: int = 0
    new: int = 0
    replaced: int = 0
    unchanged: int = 0
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class Task:
    attempt: int = 0
    container: str = ""
    document_id: str = ""
    job_id: str = ""
    kind: str = ""
    reason: str = ""
    record_id: str = ""
    run_at: datetime | None = None
    state: str = ""
    status: str = ""
    title: str = ""
    updated_at: datetime = ZERO_TIME
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class Tiered:
    access_count: int = 0
    category: str = ""
    chunk_count: int = 0
    container: str = ""
    content: str = ""
    content_hash: str = ""
    content_type: str = ""
    created_at: datetime = ZERO_TIME
    custom_id: str = ""
    embedded_count: int = 0
    forget_after: datetime | None = None
    id: str = ""
    is_latest: bool = False
    keywords: Keywords = _field(default_factory=lambda: Keywords())
    language: str = ""
    last_accessed_at: datetime | None = None
    metadata: dict[str, Any] = _field(default_factory=dict)
    node_id: str = ""
    occurred_at: datetime | None = None
    origin: str = ""
    previous_id: str = ""
    reason: str = ""
    size: int = 0
    source_url: str = ""
    status: str = ""
    summary: str = ""
    tags: list[str] = _field(default_factory=list)
    # hot: used within the hour; warm: within seven days; cold
    tier: str = ""
    title: str = ""
    updated_at: datetime = ZERO_TIME
    version: int = 0
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class TimelineLine:
    container: str = ""
    date: datetime = ZERO_TIME
    id: str = ""
    kind: str = ""
    source: str = ""
    speaker: str = ""
    superseded: bool = False
    text: str = ""
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class Unread:
    detail: str = ""
    document_id: str = ""
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class User:
    created_at: datetime = ZERO_TIME
    email: str = ""
    external_id: str = ""
    id: str = ""
    name: str = ""
    role: str = ""
    settings: dict[str, Any] = _field(default_factory=dict)
    extra: dict[str, Any] = _field(default_factory=dict)



class UserPatch(TypedDict, total=False):
    # merged; null removes a name. limits {files, storage, sessions, requests} and retention_days mean
    # something here
    settings: Mapping[str, Any]



@dataclass(slots=True)
class UserUsage:
    files: int = 0
    limits: Limits = _field(default_factory=lambda: Limits())
    retention_days: int = 0
    sessions: int = 0
    storage: int = 0
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class Vertex:
    container: str = ""
    dormant: bool = False
    id: str = ""
    kind: str = ""
    label: str = ""
    size: float = 0.0
    type: str = ""
    x: float = 0.0
    y: float = 0.0
    extra: dict[str, Any] = _field(default_factory=dict)



@dataclass(slots=True)
class Where:
    container: str = ""
    dormant: bool = False
    id: str = ""
    mentions: int = 0
    extra: dict[str, Any] = _field(default_factory=dict)
