"""The verbs of the client.

Written by clients/generate.py from clients/verbs.json and the server's OpenAPI. Do not edit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any, Literal

from ._call import UNSET, Caller, ChatStream, Listing
from ._call import Data, Unset, UploadFile, place
from .types import (
    About, Appended, Archived, Audit, BatchItem, Branch, Brief, Buried, ChatReply, Child, Chunk, Concept,
    Conversation, DateRange, DefiningMemory, Deleted, Deletion, Delta, Diff, Document, Edge, Entity, FileEvent,
    FileInfo, FileState, Found, Grant, HealthBody, Hood, Identity, ImportAnswer, ImportItem, ImportLink, Key,
    KeywordsInput, Kind, MadeKey, Match, Member, Memory, MemoryOpts, Message, MessageContext, NewDocument,
    NewMessage, Node, Organisation, OwnReport, Picture, Profile, ProvisionNode, Rebuilt, RecallFile, Receipt,
    Rederived, RelatedMemory, Report, Restored, Shell, Stats, Suggestion, Task, Tiered, TimelineLine, User,
    UserUsage,
)


class Verbs(Caller):
    """One method for each verb of the API."""

    def health(self) -> HealthBody:
        """The state of each part."""
        return self._json(HealthBody, "GET", "/health", safe=True, also=503)

    def metrics(self) -> str:
        """Counters and timings for Prometheus; admins only."""
        return self._text("GET", "/metrics", safe=True)

    def ready(self, *, to: Literal["write"] | None = None) -> HealthBody:
        """Whether requests can be served.

        to: write: 503 also where what is saved is refused, as on a full disk, while reading goes on
        """
        in_query: dict[str, Any] = {"to": to}
        return self._json(HealthBody, "GET", "/ready", safe=True, query=in_query, also=503)

    def list_audit(
        self,
        *,
        cursor: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
        action: str | None = None,
        user_id: str | None = None,
        all: bool | None = None,
    ) -> Listing[Audit]:
        """Security-relevant acts, newest first: your own, or for admins anyone's.

        cursor: next_cursor of the page before
        limit: 1-100, default 20
        offset: instead of cursor: how many to pass over
        action: key.create, key.revoke, user.delete, document.delete, auth.failed, …
        user_id: admins only: of this user
        all: admins only: of everyone
        """
        in_query: dict[str, Any] = {
            "cursor": cursor,
            "limit": limit,
            "offset": offset,
            "action": action,
            "user_id": user_id,
            "all": all,
        }
        return self._list(Audit, "GET", "/v1/audit", safe=True, query=in_query)

    def brief(
        self,
        query: str,
        *,
        as_of: str | date | datetime | None = None,
        container: str | Sequence[str] | None = None,
        containers: Sequence[str] | None = None,
        floor: float | None = None,
        fresh: bool | None = None,
        from_: str | date | datetime | None = None,
        include_defining: bool | None = None,
        max_tokens: int | None = None,
        session: str | None = None,
        to: str | date | datetime | None = None,
        valid_at: str | date | datetime | None = None,
    ) -> Brief:
        """Recalled text that fits into a prompt.

        as_of: what had been saved by then
        container: a path (its subtree), work! (it alone), work.* (its children)
        floor: hits of less relevance are left out, 0..1, default 0.4
        fresh: forget what the session was given
        from_: of what happened, was said or is dated at or after this
        include_defining: decisions, milestones, events and turning points in a block of their own;
            default true
        max_tokens: o200k tokens of the text, markers included, 1-100,000, default 8,000
        session: a name of yours: what it was given it is not given again, for a day after its last
            brief
        to: before this
        valid_at: of memories that were true then, alone
        """
        in_body: dict[str, Any] = {
            "query": query,
            "as_of": as_of,
            "container": container,
            "containers": containers,
            "floor": floor,
            "fresh": fresh,
            "from": from_,
            "include_defining": include_defining,
            "max_tokens": max_tokens,
            "session": session,
            "to": to,
            "valid_at": valid_at,
        }
        return self._json(Brief, "POST", "/v1/brief", safe=True, body=in_body)

    def chat(
        self,
        message: str,
        *,
        container: str | None = None,
        conversation: str | None = None,
        conversation_id: str | None = None,
        id: str | None = None,
        include_memories: bool | None = None,
        memory_options: MemoryOpts | None = None,
        model: str | None = None,
        session: str | None = None,
        speaker: str | None = None,
        system_prompt: str | None = None,
    ) -> ChatReply:
        """Ask the configured model with what is remembered; the exchange is kept.

        The message is durable before the model is asked. When the model fails the answer is 502 or 503,
        and details say under which id the message is kept. Where none is configured it is 400, and the
        error names the setting. With stream the answer comes as server-sent events: `delta` with
        `{"text"}` for each piece, then `done` with the same object that an answer without stream has,
        or `error` in the shape of every error. A failure before the first piece is an answer with its
        status.

        container: where it is kept; all that the key may read is recalled
        conversation: your own name for the conversation, default chat; made if it is new
        conversation_id: its id, instead
        id: your own id of the message: the same again is logged once and answered once
        include_memories: default true
        model: a model of the configured provider; none: the configured one
        speaker: who says it
        """
        in_body: dict[str, Any] = {
            "message": message,
            "container": container,
            "conversation": conversation,
            "conversation_id": conversation_id,
            "id": id,
            "include_memories": include_memories,
            "memory_options": memory_options,
            "model": model,
            "session": session,
            "speaker": speaker,
            "system_prompt": system_prompt,
        }
        return self._chat(in_body)

    def chat_stream(
        self,
        message: str,
        *,
        container: str | None = None,
        conversation: str | None = None,
        conversation_id: str | None = None,
        id: str | None = None,
        include_memories: bool | None = None,
        memory_options: MemoryOpts | None = None,
        model: str | None = None,
        session: str | None = None,
        speaker: str | None = None,
        system_prompt: str | None = None,
    ) -> ChatStream:
        """Like chat, and the answer comes as it is written.

        The message is durable before the model is asked. When the model fails the answer is 502 or 503,
        and details say under which id the message is kept. Where none is configured it is 400, and the
        error names the setting. With stream the answer comes as server-sent events: `delta` with
        `{"text"}` for each piece, then `done` with the same object that an answer without stream has,
        or `error` in the shape of every error. A failure before the first piece is an answer with its
        status.

        container: where it is kept; all that the key may read is recalled
        conversation: your own name for the conversation, default chat; made if it is new
        conversation_id: its id, instead
        id: your own id of the message: the same again is logged once and answered once
        include_memories: default true
        model: a model of the configured provider; none: the configured one
        speaker: who says it
        """
        in_body: dict[str, Any] = {
            "message": message,
            "container": container,
            "conversation": conversation,
            "conversation_id": conversation_id,
            "id": id,
            "include_memories": include_memories,
            "memory_options": memory_options,
            "model": model,
            "session": session,
            "speaker": speaker,
            "system_prompt": system_prompt,
        }
        return self._chat_stream(in_body)

    def list_containers(
        self,
        *,
        container: str | None = None,
        as_of: str | date | datetime | None = None,
    ) -> Listing[Node]:
        """List containers with their counts.

        container: pattern; none means all
        as_of: ISO 8601: as it was then
        """
        in_query: dict[str, Any] = {"container": container, "as_of": as_of}
        return self._list(Node, "GET", "/v1/containers", safe=True, query=in_query)

    def create_container(self, container: str, *, description: str | None = None, type: str | None = None) -> Node:
        """Make a container.

        container: dotted path; missing ancestors are made
        type: project, topic, concept or persona
        """
        in_body: dict[str, Any] = {"container": container, "description": description, "type": type}
        return self._json(Node, "POST", "/v1/containers", body=in_body)

    def delete_container(
        self,
        id: str,
        *,
        soft: bool | None = None,
        wait: Literal["scrubbed"] | None = None,
    ) -> Deleted:
        """Remove a container with everything in it, for good.

        soft: put it into the trash, from where it can be restored, instead of removing it for good
        wait: scrubbed: answer once the store's own files are cleaned and searched for what was removed
        """
        in_query: dict[str, Any] = {"soft": soft, "wait": wait}
        return self._json(Deleted, "DELETE", f"/v1/containers/{place(id, 'id')}", query=in_query)

    def get_container(self, id: str, *, as_of: str | date | datetime | None = None) -> Shell:
        """One container by id or path: what it is about, what it holds, what is below it.

        as_of: ISO 8601: as it was then
        """
        in_query: dict[str, Any] = {"as_of": as_of}
        return self._json(Shell, "GET", f"/v1/containers/{place(id, 'id')}", safe=True, query=in_query)

    def update_container(
        self,
        id: str,
        *,
        description: str | None = None,
        keywords: KeywordsInput | None = None,
        name: str | None = None,
        summary: str | None = None,
        type: str | None = None,
    ) -> Shell:
        """Change name, type, description, summary or keywords.

        name: as people call it; the path stays
        summary: at most 200 words; empty: it follows the content again
        type: project, topic, concept or persona
        """
        in_body: dict[str, Any] = {
            "description": description,
            "keywords": keywords,
            "name": name,
            "summary": summary,
            "type": type,
        }
        return self._json(Shell, "PATCH", f"/v1/containers/{place(id, 'id')}", safe=True, body=in_body)

    def archive_container(self, id: str, *, into: str | None = None) -> Archived:
        """Move everything of a container into its parent, and remove it.

        into: path of the container to archive into; none: the parent
        """
        in_body: dict[str, Any] = {"into": into}
        return self._json(Archived, "POST", f"/v1/containers/{place(id, 'id')}/archive", body=in_body)

    def move_container(self, id: str, container: str) -> Node:
        """Give a container, and what is below it, another path.

        container: the new path; what is below goes along
        """
        in_body: dict[str, Any] = {"container": container}
        return self._json(Node, "POST", f"/v1/containers/{place(id, 'id')}/move", body=in_body)

    def list_conversations(
        self,
        *,
        cursor: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
        as_of: str | date | datetime | None = None,
        container: str | None = None,
    ) -> Listing[Conversation]:
        """List conversations, the one with the newest message first.

        cursor: next_cursor of the page before
        limit: 1-100, default 20
        offset: instead of cursor: how many to pass over
        as_of: ISO 8601: as it was known then
        """
        in_query: dict[str, Any] = {
            "cursor": cursor,
            "limit": limit,
            "offset": offset,
            "as_of": as_of,
            "container": container,
        }
        return self._list(Conversation, "GET", "/v1/conversations", safe=True, query=in_query)

    def delete_conversation(
        self,
        id: str,
        *,
        soft: bool | None = None,
        wait: Literal["scrubbed"] | None = None,
    ) -> Deleted:
        """Remove a conversation with all its messages and recall files.

        soft: put it into the trash, from where it can be restored, instead of removing it for good
        wait: scrubbed: answer once the store's own files are cleaned and searched for what was removed
        """
        in_query: dict[str, Any] = {"soft": soft, "wait": wait}
        return self._json(Deleted, "DELETE", f"/v1/conversations/{place(id, 'id')}", query=in_query)

    def get_conversation(
        self,
        id: str,
        *,
        container: str | None = None,
        as_of: str | date | datetime | None = None,
    ) -> Conversation:
        """One conversation.

        container: where a name is looked for
        as_of: ISO 8601: as it was known then
        """
        in_query: dict[str, Any] = {"container": container, "as_of": as_of}
        return self._json(Conversation, "GET", f"/v1/conversations/{place(id, 'id')}", safe=True, query=in_query)

    def update_conversation(
        self,
        id: str,
        *,
        within: str | None = None,
        container: str | None = None,
        forget_after: str | date | datetime | None | Unset = UNSET,
        metadata: Mapping[str, Any] | None = None,
        tags: Sequence[str] | None = None,
        title: str | None = None,
    ) -> Conversation:
        """Change title, tags, metadata or forget_after, or move it; within says where a name is looked for.

        within: where a name is looked for
        container: where it goes, with all that was said in it and what is known from it alone; made if
            it is new
        forget_after: ISO 8601, or null to keep it
        metadata: merged; null removes a name
        """
        in_query: dict[str, Any] = {"container": within}
        in_body: dict[str, Any] = {
            "container": container,
            "forget_after": forget_after,
            "metadata": metadata,
            "tags": tags,
            "title": title,
        }
        return self._json(
            Conversation,
            "PATCH",
            f"/v1/conversations/{place(id, 'id')}",
            safe=True,
            query=in_query,
            body=in_body,
            nulls=("forget_after",),
        )

    def end_conversation(self, id: str, *, container: str | None = None) -> RecallFile:
        """End what is open of a conversation and write its recall file.

        container: where a name is looked for
        """
        in_query: dict[str, Any] = {"container": container}
        return self._json(RecallFile, "POST", f"/v1/conversations/{place(id, 'id')}/end", query=in_query)

    def list_messages(
        self,
        id: str,
        *,
        container: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
        as_of: str | date | datetime | None = None,
    ) -> Listing[Message]:
        """A conversation's messages in order.

        container: where a name is looked for
        cursor: next_cursor of the page before
        limit: 1-100, default 20
        offset: instead of cursor: how many to pass over
        as_of: ISO 8601: as it was known then
        """
        in_query: dict[str, Any] = {
            "container": container,
            "cursor": cursor,
            "limit": limit,
            "offset": offset,
            "as_of": as_of,
        }
        return self._list(Message, "GET", f"/v1/conversations/{place(id, 'id')}/messages", safe=True, query=in_query)

    def list_defining_memories(
        self,
        *,
        cursor: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
        as_of: str | date | datetime | None = None,
        container: str | None = None,
        type: str | Sequence[str] | None = None,
        since: str | date | datetime | None = None,
        superseded: bool | None = None,
        valid_at: str | date | datetime | None = None,
    ) -> Listing[DefiningMemory]:
        """List decisions, milestones, events and turning points, newest first.

        cursor: next_cursor of the page before
        limit: 1-100, default 20
        offset: instead of cursor: how many to pass over
        as_of: ISO 8601: as it was known then
        type: decision, milestone, event, turning_point; several with commas
        since: ISO 8601 date or time: what happened from then on
        superseded: those too that something newer took the place of
        valid_at: ISO 8601: only what was true then, superseded or not
        """
        in_query: dict[str, Any] = {
            "cursor": cursor,
            "limit": limit,
            "offset": offset,
            "as_of": as_of,
            "container": container,
            "type": type,
            "since": since,
            "superseded": superseded,
            "valid_at": valid_at,
        }
        return self._list(DefiningMemory, "GET", "/v1/defining-memories", safe=True, query=in_query)

    def timeline(
        self,
        *,
        cursor: str | None = None,
        limit: int | None = None,
        container: str | None = None,
        from_: str | date | datetime | None = None,
        to: str | date | datetime | None = None,
        kind: str | Sequence[str] | None = None,
    ) -> Listing[TimelineLine]:
        """List what happened, was said or is dated between two moments, oldest first.

        cursor: next_cursor of the page before
        limit: 1-100, default 20
        container: a path (its subtree), work! (it alone), work.* (its children); none: everything
        from_: ISO 8601 date or time: at or after this
        to: ISO 8601 date or time: before this
        kind: several with commas: memory, message, document, or kinds of memories like event; defining
            and regular stand for several
        """
        in_query: dict[str, Any] = {
            "cursor": cursor,
            "limit": limit,
            "container": container,
            "from": from_,
            "to": to,
            "kind": kind,
        }
        return self._list(TimelineLine, "GET", "/v1/timeline", safe=True, query=in_query)

    def undo_change(self, id: str) -> Delta:
        """Turn one change back."""
        return self._json(Delta, "POST", f"/v1/deltas/{place(id, 'id')}/undo")

    def doctor(self, *, repair: bool | None = None) -> list[str]:
        """Look for damage; repair builds again what is derived."""
        in_body: dict[str, Any] = {"repair": repair}
        return self._items(str, "POST", "/v1/doctor", body=in_body)

    def list_documents(
        self,
        *,
        cursor: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
        container: str | None = None,
        content_type: str | None = None,
        status: str | None = None,
        tag: str | None = None,
        title: str | None = None,
        source_url: str | None = None,
        custom_id: str | None = None,
        all_versions: bool | None = None,
        from_: str | date | datetime | None = None,
        to: str | date | datetime | None = None,
        as_of: str | date | datetime | None = None,
    ) -> Listing[Document]:
        """List documents, newest first.

        cursor: next_cursor of the page before
        limit: 1-100, default 20
        offset: instead of cursor: how many to pass over
        title: part of the title
        from_: ISO 8601: dated at or after this, or else saved
        to: ISO 8601: dated before this, or else saved
        as_of: ISO 8601: as it was known then
        """
        in_query: dict[str, Any] = {
            "cursor": cursor,
            "limit": limit,
            "offset": offset,
            "container": container,
            "content_type": content_type,
            "status": status,
            "tag": tag,
            "title": title,
            "source_url": source_url,
            "custom_id": custom_id,
            "all_versions": all_versions,
            "from": from_,
            "to": to,
            "as_of": as_of,
        }
        return self._list(Document, "GET", "/v1/documents", safe=True, query=in_query)

    def add_document(
        self,
        content: str | None = None,
        *,
        container: str | None = None,
        content_type: str | None = None,
        custom_id: str | None = None,
        file_base64: str | None = None,
        filename: str | None = None,
        forget_after: str | date | datetime | None = None,
        metadata: Mapping[str, Any] | None = None,
        occurred_at: str | date | datetime | None = None,
        project_id: str | None = None,
        source: str | None = None,
        source_url: str | None = None,
        tags: Sequence[str] | None = None,
        title: str | None = None,
        updates: str | None = None,
        updates_memory_id: str | None = None,
        url: str | None = None,
    ) -> Receipt:
        """Save text, an address or a file.

        content: the text, up to 500,000 characters
        container: dotted path; none means default
        content_type: text, markdown, html, code, json, csv, or a media type; found out where it is not
            given
        custom_id: your own id: a later save with the same one is a new version; another one is another
            document, also where the text is the same
        file_base64: the bytes of a file
        forget_after: a time to come; the document is removed for good then
        occurred_at: ISO 8601 date or time
        project_id: the same as container
        source: where it came from: user, agent, tool, web, import
        updates: id of the document that this is a new version of
        updates_memory_id: the same as updates
        url: an address to fetch
        """
        in_body: dict[str, Any] = {
            "content": content,
            "container": container,
            "content_type": content_type,
            "custom_id": custom_id,
            "file_base64": file_base64,
            "filename": filename,
            "forget_after": forget_after,
            "metadata": metadata,
            "occurred_at": occurred_at,
            "project_id": project_id,
            "source": source,
            "source_url": source_url,
            "tags": tags,
            "title": title,
            "updates": updates,
            "updates_memory_id": updates_memory_id,
            "url": url,
        }
        return self._json(Receipt, "POST", "/v1/documents", safe=True, body=in_body)

    def add_documents(self, documents: Sequence[NewDocument]) -> list[BatchItem]:
        """Save several; each item has its own result."""
        in_body: dict[str, Any] = {"documents": documents}
        return self._items(BatchItem, "POST", "/v1/documents/batch", safe=True, body=in_body)

    def find_documents(
        self,
        *,
        after: str | date | datetime | None = None,
        all_versions: bool | None = None,
        as_of: str | date | datetime | None = None,
        before: str | date | datetime | None = None,
        container: str | Sequence[str] | None = None,
        content_type: str | Sequence[str] | None = None,
        cursor: str | None = None,
        custom_id: str | None = None,
        from_: str | date | datetime | None = None,
        limit: int | None = None,
        offset: int | None = None,
        oldest_first: bool | None = None,
        source_url: str | None = None,
        status: str | Sequence[str] | None = None,
        tags: Sequence[str] | None = None,
        title: str | None = None,
        to: str | date | datetime | None = None,
    ) -> Listing[Document]:
        """List documents with filters.

        after: the same as from
        as_of: as it was known then
        before: the same as to
        from_: dated at or after this, or else saved
        to: dated before this, or else saved
        """
        in_body: dict[str, Any] = {
            "after": after,
            "all_versions": all_versions,
            "as_of": as_of,
            "before": before,
            "container": container,
            "content_type": content_type,
            "cursor": cursor,
            "custom_id": custom_id,
            "from": from_,
            "limit": limit,
            "offset": offset,
            "oldest_first": oldest_first,
            "source_url": source_url,
            "status": status,
            "tags": tags,
            "title": title,
            "to": to,
        }
        return self._list(Document, "POST", "/v1/documents/list", safe=True, body=in_body)

    def upload(
        self,
        files: UploadFile | Sequence[UploadFile],
        *,
        container: str | None = None,
        content_type: str | None = None,
        custom_id: str | None = None,
        forget_after: str | date | datetime | None = None,
        metadata: Mapping[str, Any] | None = None,
        occurred_at: str | date | datetime | None = None,
        project_id: str | None = None,
        source: str | None = None,
        source_url: str | None = None,
        tags: Sequence[str] | None = None,
        title: str | None = None,
        updates: str | None = None,
        updates_memory_id: str | None = None,
    ) -> list[BatchItem]:
        """Upload one or more files.

        container: dotted path; none means default
        content_type: text, markdown, html, code, json, csv, or a media type; found out where it is not
            given
        custom_id: your own id: a later save with the same one is a new version; another one is another
            document, also where the text is the same
        forget_after: a time to come; the document is removed for good then
        occurred_at: ISO 8601 date or time
        project_id: the same as container
        source: where it came from: user, agent, tool, web, import
        updates: id of the document that this is a new version of
        updates_memory_id: the same as updates
        """
        in_body: dict[str, Any] = {
            "container": container,
            "content_type": content_type,
            "custom_id": custom_id,
            "forget_after": forget_after,
            "metadata": metadata,
            "occurred_at": occurred_at,
            "project_id": project_id,
            "source": source,
            "source_url": source_url,
            "tags": tags,
            "title": title,
            "updates": updates,
            "updates_memory_id": updates_memory_id,
        }
        return self._upload(files, in_body)

    def delete_document(
        self,
        id: str,
        *,
        soft: bool | None = None,
        wait: Literal["scrubbed"] | None = None,
    ) -> Deleted:
        """Remove a document and all that came from it.

        soft: put it into the trash, from where it can be restored, instead of removing it for good
        wait: scrubbed: answer once the store's own files are cleaned and searched for what was removed
        """
        in_query: dict[str, Any] = {"soft": soft, "wait": wait}
        return self._json(Deleted, "DELETE", f"/v1/documents/{place(id, 'id')}", query=in_query)

    def get_document(self, id: str, *, as_of: str | date | datetime | None = None) -> Tiered:
        """One document with its text.

        as_of: ISO 8601: as it was known then
        """
        in_query: dict[str, Any] = {"as_of": as_of}
        return self._json(Tiered, "GET", f"/v1/documents/{place(id, 'id')}", safe=True, query=in_query)

    def update_document(
        self,
        id: str,
        *,
        forget_after: str | date | datetime | None | Unset = UNSET,
        metadata: Mapping[str, Any] | None = None,
        tags: Sequence[str] | None = None,
        title: str | None = None,
    ) -> Document:
        """Change title, tags, metadata or forget_after.

        forget_after: ISO 8601, or null to keep it
        metadata: merged; null removes a name
        """
        in_body: dict[str, Any] = {"forget_after": forget_after, "metadata": metadata, "tags": tags, "title": title}
        return self._json(
            Document,
            "PATCH",
            f"/v1/documents/{place(id, 'id')}",
            safe=True,
            body=in_body,
            nulls=("forget_after",),
        )

    def list_chunks(self, id: str, *, as_of: str | date | datetime | None = None) -> Listing[Chunk]:
        """A document's chunks in order.

        as_of: ISO 8601: as it was known then
        """
        in_query: dict[str, Any] = {"as_of": as_of}
        return self._list(Chunk, "GET", f"/v1/documents/{place(id, 'id')}/chunks", safe=True, query=in_query)

    def get_document_content(self, id: str, *, as_of: str | date | datetime | None = None) -> bytes:
        """What the document came in as, byte for byte.

        as_of: ISO 8601: as it was known then
        """
        in_query: dict[str, Any] = {"as_of": as_of}
        return self._bytes("GET", f"/v1/documents/{place(id, 'id')}/content", safe=True, query=in_query, wait=True)

    def restore_version(self, id: str) -> Receipt:
        """Save the content of an earlier version as the newest one."""
        return self._json(Receipt, "POST", f"/v1/documents/{place(id, 'id')}/restore")

    def list_versions(self, id: str, *, as_of: str | date | datetime | None = None) -> Listing[Document]:
        """A document's versions, newest first.

        as_of: ISO 8601: as it was known then
        """
        in_query: dict[str, Any] = {"as_of": as_of}
        return self._list(Document, "GET", f"/v1/documents/{place(id, 'id')}/versions", safe=True, query=in_query)

    def delete_edge(self, source: str, target: str, type: str) -> dict[str, Any]:
        """Remove a link."""
        in_query: dict[str, Any] = {"source": source, "target": target, "type": type}
        return self._object("DELETE", "/v1/edges", query=in_query)

    def put_edge(
        self,
        source: str,
        target: str,
        type: str,
        *,
        confidence: float | None = None,
        metadata: Mapping[str, Any] | None = None,
        weight: float | None = None,
    ) -> Edge:
        """Link two records; an edge of the same source, target and type is replaced.

        source: id of a container, document, message, memory, entity or conversation
        type: contains, relates_to, mentions, discussed_in, updates, extends, derives, supersedes,
            references, precedes
        confidence: 0..1, default 1
        weight: default 1
        """
        in_body: dict[str, Any] = {
            "source": source,
            "target": target,
            "type": type,
            "confidence": confidence,
            "metadata": metadata,
            "weight": weight,
        }
        return self._json(Edge, "POST", "/v1/edges", safe=True, body=in_body)

    def list_entities(
        self,
        *,
        cursor: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
        container: str | None = None,
        kind: str | None = None,
        q: str | None = None,
        as_of: str | date | datetime | None = None,
    ) -> Listing[Match]:
        """Who and what is named.

        cursor: next_cursor of the page before
        limit: 1-100, default 20
        offset: instead of cursor: how many to pass over
        container: only who and what is named there, as often as there: work (with all below it), work!
            (it alone), work.* (its children)
        kind: person, organisation, place, product
        q: a name, a little differently written too; the most alike first, with a score
        as_of: ISO 8601: as it was then
        """
        in_query: dict[str, Any] = {
            "cursor": cursor,
            "limit": limit,
            "offset": offset,
            "container": container,
            "kind": kind,
            "q": q,
            "as_of": as_of,
        }
        return self._list(Match, "GET", "/v1/entities", safe=True, query=in_query)

    def get_entity(self, id: str, *, as_of: str | date | datetime | None = None) -> About:
        """Everything about an entity, by id or name, across all containers.

        as_of: ISO 8601: as it was then
        """
        in_query: dict[str, Any] = {"as_of": as_of}
        return self._json(About, "GET", f"/v1/entities/{place(id, 'id')}", safe=True, query=in_query)

    def update_entity(
        self,
        id: str,
        *,
        aliases: Sequence[str] | None = None,
        kind: str | None = None,
        name: str | None = None,
    ) -> Entity:
        """Change name, kind or aliases.

        kind: person, organisation, place, product, or a word of your own
        name: the old one stays as an alias, unless aliases are given too
        """
        in_body: dict[str, Any] = {"aliases": aliases, "kind": kind, "name": name}
        return self._json(Entity, "PATCH", f"/v1/entities/{place(id, 'id')}", safe=True, body=in_body)

    def merge_entities(self, id: str, other: str) -> Entity:
        """Make one entity of two.

        other: id of the entity that becomes one with this
        """
        in_body: dict[str, Any] = {"other": other}
        return self._json(Entity, "POST", f"/v1/entities/{place(id, 'id')}/merge", body=in_body)

    def export_data(self, *, container: str | Sequence[str] | None = None) -> Iterator[dict[str, Any]]:
        """Everything that the key sees, as JSON lines.

        See docs/format/export.md. An export that breaks off is cut, and not ended.

        container: a path (its subtree), work! (it alone), work.* (its children); several with commas;
            all of them if left out
        """
        in_query: dict[str, Any] = {"container": container}
        return self._lines("GET", "/v1/export", safe=True, query=in_query)

    def list_files(
        self,
        *,
        cursor: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
        document_id: str | None = None,
        container: str | None = None,
    ) -> Listing[FileInfo]:
        """Sealed files with their states, newest first: all, those of a container, or those of a document.

        cursor: next_cursor of the page before
        limit: 1-100, default 20
        offset: instead of cursor: how many to pass over
        """
        in_query: dict[str, Any] = {
            "cursor": cursor,
            "limit": limit,
            "offset": offset,
            "document_id": document_id,
            "container": container,
        }
        return self._list(FileInfo, "GET", "/v1/files", safe=True, query=in_query)

    def list_all_file_events(
        self,
        *,
        cursor: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> Listing[FileEvent]:
        """The states that all your files went through, newest first.

        cursor: next_cursor of the page before
        limit: 1-100, default 20
        offset: instead of cursor: how many to pass over
        """
        in_query: dict[str, Any] = {"cursor": cursor, "limit": limit, "offset": offset}
        return self._list(FileEvent, "GET", "/v1/files/log", safe=True, query=in_query)

    def get_file(self, id: str) -> FileInfo:
        """One file: name, sizes, state, tier."""
        return self._json(FileInfo, "GET", f"/v1/files/{place(id, 'id')}", safe=True)

    def compress_file(self, id: str) -> FileInfo:
        """Compress a file hard, as happens by itself once it is idle."""
        return self._json(FileInfo, "POST", f"/v1/files/{place(id, 'id')}/compress")

    def get_file_content(self, id: str) -> bytes:
        """The bytes of a file; a sleeping one is woken, 202 while that takes longer than two seconds."""
        return self._bytes("GET", f"/v1/files/{place(id, 'id')}/content", safe=True, wait=True)

    def decompress_file(self, id: str) -> FileState:
        """Wake a file; 202 while that takes longer than two seconds."""
        return self._json(FileState, "POST", f"/v1/files/{place(id, 'id')}/decompress", safe=True, wait=True)

    def list_file_events(
        self,
        id: str,
        *,
        cursor: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> Listing[FileEvent]:
        """The states that a file went through, newest first.

        cursor: next_cursor of the page before
        limit: 1-100, default 20
        offset: instead of cursor: how many to pass over
        """
        in_query: dict[str, Any] = {"cursor": cursor, "limit": limit, "offset": offset}
        return self._list(FileEvent, "GET", f"/v1/files/{place(id, 'id')}/log", safe=True, query=in_query)

    def get_file_state(self, id: str) -> FileState:
        """Whether a file is active, dormant or being woken."""
        return self._json(FileState, "GET", f"/v1/files/{place(id, 'id')}/state", safe=True)

    def touch_file(self, id: str) -> FileInfo:
        """Note that a file was used."""
        return self._json(FileInfo, "POST", f"/v1/files/{place(id, 'id')}/touch", safe=True)

    def list_grants(
        self,
        *,
        cursor: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
        subject_id: str | None = None,
        container: str | None = None,
        all: bool | None = None,
    ) -> Listing[Grant]:
        """List grants, newest first; a persona or third party sees its own.

        cursor: next_cursor of the page before
        limit: 1-100, default 20
        offset: instead of cursor: how many to pass over
        subject_id: only those to this persona or third party
        container: only those to this container
        all: those that have ended too
        """
        in_query: dict[str, Any] = {
            "cursor": cursor,
            "limit": limit,
            "offset": offset,
            "subject_id": subject_id,
            "container": container,
            "all": all,
        }
        return self._list(Grant, "GET", "/v1/grants", safe=True, query=in_query)

    def create_grant(
        self,
        *,
        container: str | None = None,
        expires_at: str | date | datetime | None = None,
        grant_type: str | None = None,
        subject_id: str,
        target_node_id: str | None = None,
    ) -> Grant:
        """Give a persona or a third party leave to one container.

        container: the same
        expires_at: when it ends; without it, when it is revoked
        grant_type: read (the default) or read_write; third parties may only read
        subject_id: a persona, by the id or path of its container, or the id of a third party's key
        target_node_id: the container, by id or path: this one, and nothing above or below it
        """
        in_body: dict[str, Any] = {
            "container": container,
            "expires_at": expires_at,
            "grant_type": grant_type,
            "subject_id": subject_id,
            "target_node_id": target_node_id,
        }
        return self._json(Grant, "POST", "/v1/grants", body=in_body)

    def revoke_grant(self, id: str) -> Grant:
        """End a grant at once."""
        return self._json(Grant, "DELETE", f"/v1/grants/{place(id, 'id')}")

    def get_grant(self, id: str) -> Grant:
        """One grant."""
        return self._json(Grant, "GET", f"/v1/grants/{place(id, 'id')}", safe=True)

    def get_graph(
        self,
        *,
        container: str | None = None,
        limit: int | None = None,
        solo: bool | None = None,
        as_of: str | date | datetime | None = None,
    ) -> Picture:
        """How records hang together.

        limit: documents and memories each, 1-1000, default 200
        solo: also topics and entities that only one record names
        as_of: ISO 8601: as it was then
        """
        in_query: dict[str, Any] = {"container": container, "limit": limit, "solo": solo, "as_of": as_of}
        return self._json(Picture, "GET", "/v1/graph", safe=True, query=in_query)

    def list_edges(
        self,
        of: str | Sequence[str],
        *,
        type: str | None = None,
        limit: int | None = None,
        as_of: str | date | datetime | None = None,
    ) -> Listing[Edge]:
        """The links at records, heaviest first.

        of: ids of records, separated by commas
        type: only of these types
        limit: 1-1000, default 100
        as_of: ISO 8601: as it was then
        """
        in_query: dict[str, Any] = {"of": of, "type": type, "limit": limit, "as_of": as_of}
        return self._list(Edge, "GET", "/v1/graph/edges", safe=True, query=in_query)

    def get_neighbourhood(
        self,
        of: str | Sequence[str],
        *,
        depth: int | None = None,
        limit: int | None = None,
        type: str | None = None,
        as_of: str | date | datetime | None = None,
    ) -> Hood:
        """What lies around records, edge by edge.

        of: ids of records, paths of containers or names of entities, separated by commas
        depth: edges at most, 1-6, default 1
        limit: records, 1-500, default 100
        type: only along edges of these types
        as_of: ISO 8601: as it was then
        """
        in_query: dict[str, Any] = {"of": of, "depth": depth, "limit": limit, "type": type, "as_of": as_of}
        return self._json(Hood, "GET", "/v1/graph/neighbourhood", safe=True, query=in_query)

    def list_graph_nodes(
        self,
        *,
        type: str | None = None,
        name: str | None = None,
        related_to: str | None = None,
        depth: int | None = None,
        limit: int | None = None,
        offset: int | None = None,
        as_of: str | date | datetime | None = None,
    ) -> Listing[Concept]:
        """Containers and entities as one knowledge graph.

        type: project, topic, concept, persona, entity, or the kind of an entity
        name: a little differently written too
        related_to: id, path of a container or name of an entity
        depth: for related_to, 1-6, default 1
        limit: 1-100, default 20
        as_of: ISO 8601: as it was then
        """
        in_query: dict[str, Any] = {
            "type": type,
            "name": name,
            "related_to": related_to,
            "depth": depth,
            "limit": limit,
            "offset": offset,
            "as_of": as_of,
        }
        return self._list(Concept, "GET", "/v1/graph/nodes", safe=True, query=in_query)

    def put_graph_node(
        self,
        name: str,
        type: str | None = None,
        *,
        aliases: Sequence[str] | None = None,
        description: str | None = None,
        kind: str | None = None,
        parent_id: str | None | Unset = UNSET,
    ) -> Concept:
        """Make a node of the knowledge graph, or change the one of that name.

        type: project, topic, concept, persona; entity, or the kind of one
        aliases: of an entity
        kind: of an entity; default person
        parent_id: id or path of the container above it; null: none
        """
        in_body: dict[str, Any] = {
            "name": name,
            "type": type,
            "aliases": aliases,
            "description": description,
            "kind": kind,
            "parent_id": parent_id,
        }
        return self._json(Concept, "POST", "/v1/graph/nodes", safe=True, body=in_body, nulls=("parent_id",))

    def import_data(
        self,
        data: Data,
        *,
        kind: str | None = None,
        name: str | None = None,
        container: str | None = None,
        zone: str | None = None,
        me: str | None = None,
        namespace: str | None = None,
        attachments: bool | None = None,
        dry_run: bool | None = None,
    ) -> OwnReport | Report:
        """Take in an export, of our own or of another tool.

        The body is the export as it is, or a form with it under the name file. What is there already is
        passed over. Our own answers how much of what was taken in; one of another tool answers a
        report. In a dry run nothing counts as being there.

        kind: what it is, as GET /v1/import/kinds names it; found out if left out
        name: of the file
        container: where it goes
        zone: time zone of times that have none
        me: whose messages are the user's own
        namespace: what keeps apart two sources of one kind
        attachments: true: the files beside it too
        dry_run: true: only count what would be taken in, and write nothing
        """
        in_query: dict[str, Any] = {
            "kind": kind,
            "name": name,
            "container": container,
            "zone": zone,
            "me": me,
            "namespace": namespace,
            "attachments": attachments,
            "dry_run": dry_run,
        }
        return self._import(data, in_query)

    def import_items(
        self,
        items: Sequence[ImportItem] | None = None,
        *,
        container: str | None = None,
        links: Sequence[ImportLink] | None = None,
    ) -> ImportAnswer:
        """Keep items of an export, and what they point to; what is there is passed over.

        items: at most 200
        container: of the links
        links: from: id of a record; to: an id, a custom_id, a conversation, a key or a title
        """
        in_body: dict[str, Any] = {"items": items, "container": container, "links": links}
        return self._json(ImportAnswer, "POST", "/v1/import/items", safe=True, body=in_body)

    def list_import_kinds(self) -> Listing[Kind]:
        """The kinds of export that can be imported."""
        return self._list(Kind, "GET", "/v1/import/kinds", safe=True)

    def list_jobs(
        self,
        *,
        cursor: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
        state: Literal["waiting", "running", "failed"] | None = None,
    ) -> Listing[Task]:
        """What is not done: documents that wait, are worked on, or have failed, and other jobs.

        cursor: next_cursor of the page before
        limit: 1-100, default 20
        offset: instead of cursor: how many to pass over
        state: all of them if left out
        """
        in_query: dict[str, Any] = {"cursor": cursor, "limit": limit, "offset": offset, "state": state}
        return self._list(Task, "GET", "/v1/jobs", safe=True, query=in_query)

    def retry_jobs(self, *, all: bool | None = None, ids: Sequence[str] | None = None) -> dict[str, Any]:
        """Try again what has failed.

        all: everything that has failed
        ids: documents
        """
        in_body: dict[str, Any] = {"all": all, "ids": ids}
        return self._object("POST", "/v1/jobs/retry", body=in_body)

    def list_keys(self, *, all: bool | None = None) -> Listing[Key]:
        """List keys.

        all: admins only: everyone's
        """
        in_query: dict[str, Any] = {"all": all}
        return self._list(Key, "GET", "/v1/keys", safe=True, query=in_query)

    def create_key(
        self,
        name: str | None = None,
        *,
        container: str | None = None,
        expires_at: str | date | datetime | None = None,
        organisation: str | None = None,
        persona: str | None = None,
        read_only: bool | None = None,
        role: str | None = None,
        third_party: bool | None = None,
        user_id: str | None = None,
    ) -> MadeKey:
        """Make a key; its secret is shown this once.

        container: bind the key to this subtree
        expires_at: ISO 8601 date or time
        organisation: a key to the records of this organisation, as far as your role there reaches
        persona: bind the key to this persona: a container of type persona, by id or path; it has that
            subtree and what is granted to it
        role: user (default) or admin
        third_party: a key for a connected application: it reads what is granted to it, and nothing else
        user_id: admins only: whose key
        """
        in_body: dict[str, Any] = {
            "name": name,
            "container": container,
            "expires_at": expires_at,
            "organisation": organisation,
            "persona": persona,
            "read_only": read_only,
            "role": role,
            "third_party": third_party,
            "user_id": user_id,
        }
        return self._json(MadeKey, "POST", "/v1/keys", body=in_body)

    def revoke_key(self, id: str) -> Key:
        """End a key at once."""
        return self._json(Key, "DELETE", f"/v1/keys/{place(id, 'id')}")

    def list_memories(
        self,
        *,
        cursor: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
        container: str | None = None,
        kind: str | Sequence[str] | None = None,
        tag: str | None = None,
        topic: str | None = None,
        entity: str | None = None,
        relation: str | None = None,
        from_: str | date | datetime | None = None,
        to: str | date | datetime | None = None,
        created_from: str | date | datetime | None = None,
        created_to: str | date | datetime | None = None,
        latest: bool | None = None,
        document_id: str | None = None,
        slot: str | None = None,
        subject: str | None = None,
        state: Literal["active", "archived", "quarantined", "candidate"] | None = None,
        as_of: str | date | datetime | None = None,
        valid_at: str | date | datetime | None = None,
        valid_from: str | date | datetime | None = None,
        valid_to: str | date | datetime | None = None,
    ) -> Listing[Memory]:
        """List memories, newest first.

        cursor: next_cursor of the page before
        limit: 1-100, default 20
        offset: instead of cursor: how many to pass over
        kind: several with commas; defining and regular stand for the kinds that they sum up
        topic: what they are about: a tag of theirs, or a tag or topic of the document or recall file
            that they come from
        entity: whom or what they mention or are linked with: a name, an alias or an id
        relation: a type of edge that they stand at (to the entity, if there is one), or what they say
            of their subject, like works_at or sister
        from_: ISO 8601: what occurred, or else was recorded, at or after this
        to: ISO 8601: what occurred, or else was recorded, before this
        created_from: ISO 8601: recorded at or after this
        created_to: ISO 8601: recorded before this
        latest: true: only what stands; false: only what was superseded
        slot: which value of their subject they tell, like lives_in
        subject: whom or what they are about, as the memory has it
        state: left out: all but what waits for a review: in quarantine, because the text that it comes
            from tries to give orders, and candidates, which may not be worth keeping
        as_of: ISO 8601: as it was known then
        valid_at: ISO 8601: only what was true then
        valid_from: ISO 8601: only what was true then or later
        valid_to: ISO 8601: only what was true before then; with valid_from, at some time between them
        """
        in_query: dict[str, Any] = {
            "cursor": cursor,
            "limit": limit,
            "offset": offset,
            "container": container,
            "kind": kind,
            "tag": tag,
            "topic": topic,
            "entity": entity,
            "relation": relation,
            "from": from_,
            "to": to,
            "created_from": created_from,
            "created_to": created_to,
            "latest": latest,
            "document_id": document_id,
            "slot": slot,
            "subject": subject,
            "state": state,
            "as_of": as_of,
            "valid_at": valid_at,
            "valid_from": valid_from,
            "valid_to": valid_to,
        }
        return self._list(Memory, "GET", "/v1/memories", safe=True, query=in_query)

    def add_memory(
        self,
        content: str,
        *,
        confidence: float | None = None,
        container: str | None = None,
        forget_after: str | date | datetime | None = None,
        kind: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        occurred_at: str | date | datetime | None = None,
        reason: str | None = None,
        tags: Sequence[str] | None = None,
        updates: str | None = None,
    ) -> Memory:
        """Add one statement as it is given.

        content: one statement
        confidence: 0..1, default 1
        forget_after: ISO 8601 date or time
        kind: fact (default), preference, episode, insight, task, decision, milestone, event,
            turning_point
        occurred_at: ISO 8601 date or time
        reason: why
        updates: the memory that this one corrects; it stays, no longer latest
        """
        in_body: dict[str, Any] = {
            "content": content,
            "confidence": confidence,
            "container": container,
            "forget_after": forget_after,
            "kind": kind,
            "metadata": metadata,
            "occurred_at": occurred_at,
            "reason": reason,
            "tags": tags,
            "updates": updates,
        }
        return self._json(Memory, "POST", "/v1/memories", safe=True, body=in_body)

    def delete_memory(self, id: str, *, soft: bool | None = None, wait: Literal["scrubbed"] | None = None) -> Deleted:
        """Remove a memory.

        soft: put it into the trash, from where it can be restored, instead of removing it for good
        wait: scrubbed: answer once the store's own files are cleaned and searched for what was removed
        """
        in_query: dict[str, Any] = {"soft": soft, "wait": wait}
        return self._json(Deleted, "DELETE", f"/v1/memories/{place(id, 'id')}", query=in_query)

    def get_memory(self, id: str, *, as_of: str | date | datetime | None = None) -> Memory:
        """One memory with its sources.

        as_of: ISO 8601: as it was known then
        """
        in_query: dict[str, Any] = {"as_of": as_of}
        return self._json(Memory, "GET", f"/v1/memories/{place(id, 'id')}", safe=True, query=in_query)

    def update_memory(
        self,
        id: str,
        *,
        confidence: float | None = None,
        forget_after: str | date | datetime | None | Unset = UNSET,
        kind: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        state: Literal["active", "archived"] | None = None,
        tags: Sequence[str] | None = None,
    ) -> Memory:
        """Change kind, confidence, tags, metadata or forget_after.

        forget_after: ISO 8601, or null to keep it
        metadata: merged; null removes a name
        state: archived: kept and listed, and out of searches unless they filter by status
        """
        in_body: dict[str, Any] = {
            "confidence": confidence,
            "forget_after": forget_after,
            "kind": kind,
            "metadata": metadata,
            "state": state,
            "tags": tags,
        }
        return self._json(
            Memory,
            "PATCH",
            f"/v1/memories/{place(id, 'id')}",
            safe=True,
            body=in_body,
            nulls=("forget_after",),
        )

    def list_related_memories(
        self,
        id: str,
        *,
        depth: int | None = None,
        type: str | None = None,
        as_of: str | date | datetime | None = None,
        valid_at: str | date | datetime | None = None,
    ) -> Listing[RelatedMemory]:
        """Memories that edges lead to, nearest first.

        depth: edges at most, 1-6, default 2
        type: only along edges of these types
        as_of: ISO 8601: as it was then
        valid_at: ISO 8601: only what was true then
        """
        in_query: dict[str, Any] = {"depth": depth, "type": type, "as_of": as_of, "valid_at": valid_at}
        return self._list(RelatedMemory, "GET", f"/v1/memories/{place(id, 'id')}/related", safe=True, query=in_query)

    def release_memory(self, id: str) -> Memory:
        """Let a memory out of quarantine, after somebody has looked at it."""
        return self._json(Memory, "POST", f"/v1/memories/{place(id, 'id')}/release")

    def add_messages(
        self,
        conversation: str,
        messages: Sequence[NewMessage],
        *,
        container: str | None = None,
        forget_after: str | date | datetime | None = None,
        replace: bool | None = None,
    ) -> Appended:
        """Append messages to a conversation.

        conversation: your own name for the conversation; made if it is new
        forget_after: a time to come; the whole conversation is removed for good then
        replace: other content under a known id replaces it
        """
        in_body: dict[str, Any] = {
            "conversation": conversation,
            "messages": messages,
            "container": container,
            "forget_after": forget_after,
            "replace": replace,
        }
        return self._json(Appended, "POST", "/v1/messages", body=in_body)

    def delete_message(
        self,
        id: str,
        *,
        soft: bool | None = None,
        wait: Literal["scrubbed"] | None = None,
    ) -> Deleted:
        """Remove a message for good; its recall file is made anew without it.

        soft: put it into the trash, from where it can be restored, instead of removing it for good
        wait: scrubbed: answer once the store's own files are cleaned and searched for what was removed
        """
        in_query: dict[str, Any] = {"soft": soft, "wait": wait}
        return self._json(Deleted, "DELETE", f"/v1/messages/{place(id, 'id')}", query=in_query)

    def get_message_context(
        self,
        id: str,
        *,
        as_of: str | date | datetime | None = None,
        before: int | None = None,
        after: int | None = None,
    ) -> MessageContext:
        """A message with what was said before and after it.

        as_of: ISO 8601: as it was known then
        before: 0-100, default 5
        after: 0-100, default 0
        """
        in_query: dict[str, Any] = {"as_of": as_of, "before": before, "after": after}
        return self._json(MessageContext, "GET", f"/v1/messages/{place(id, 'id')}/context", safe=True, query=in_query)

    def create_containers(
        self,
        *,
        container: str | None = None,
        description: str | None = None,
        nodes: Sequence[ProvisionNode] | None = None,
        type: str | None = None,
    ) -> list[Node]:
        """Make one or several containers, all or none.

        container: one container, instead of nodes
        nodes: 1 to 100 containers; all are made, or none
        type: project, topic, concept or persona
        """
        in_body: dict[str, Any] = {"container": container, "description": description, "nodes": nodes, "type": type}
        return self._items(Node, "POST", "/v1/nodes/provision", body=in_body)

    def suggest_container(self, content: str, *, title: str | None = None) -> Suggestion:
        """Where content belongs."""
        in_body: dict[str, Any] = {"content": content, "title": title}
        return self._json(Suggestion, "POST", "/v1/nodes/suggest", safe=True, body=in_body)

    def list_children(self, id: str, *, as_of: str | date | datetime | None = None) -> Listing[Child]:
        """The containers right below one.

        as_of: ISO 8601: as it was then
        """
        in_query: dict[str, Any] = {"as_of": as_of}
        return self._list(Child, "GET", f"/v1/nodes/{place(id, 'id')}/children", safe=True, query=in_query)

    def list_organisations(self, *, all: bool | None = None) -> Listing[Organisation]:
        """The organisations that you are a member of.

        all: admins of the server only: all there are
        """
        in_query: dict[str, Any] = {"all": all}
        return self._list(Organisation, "GET", "/v1/organisations", safe=True, query=in_query)

    def create_organisation(self, name: str, *, owner_id: str | None = None) -> Organisation:
        """Make an organisation, with records that its members share; for admins of the server.

        owner_id: the user who is its first owner; without it, you
        """
        in_body: dict[str, Any] = {"name": name, "owner_id": owner_id}
        return self._json(Organisation, "POST", "/v1/organisations", body=in_body)

    def delete_organisation(self, id: str, *, wait: Literal["scrubbed"] | None = None) -> Deleted:
        """Remove an organisation and everything in it, for good; takes an owner.

        wait: scrubbed: answer once the store's own files are cleaned and searched for what was removed
        """
        in_query: dict[str, Any] = {"wait": wait}
        return self._json(Deleted, "DELETE", f"/v1/organisations/{place(id, 'id')}", query=in_query)

    def get_organisation(self, id: str) -> Organisation:
        """One organisation, with your role in it."""
        return self._json(Organisation, "GET", f"/v1/organisations/{place(id, 'id')}", safe=True)

    def update_organisation(
        self,
        id: str,
        *,
        name: str | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> Organisation:
        """Rename an organisation, or change what it may have.

        name: takes an owner
        settings: admins of the server only; merged as those of a user: limits, retention_days
        """
        in_body: dict[str, Any] = {"name": name, "settings": settings}
        return self._json(Organisation, "PATCH", f"/v1/organisations/{place(id, 'id')}", safe=True, body=in_body)

    def list_organisation_keys(self, id: str) -> Listing[Key]:
        """The keys to its records: all for its owners and admins, else your own."""
        return self._list(Key, "GET", f"/v1/organisations/{place(id, 'id')}/keys", safe=True)

    def list_members(self, id: str) -> Listing[Member]:
        """Its members, owners first."""
        return self._list(Member, "GET", f"/v1/organisations/{place(id, 'id')}/members", safe=True)

    def remove_member(self, id: str, user: str) -> Member:
        """Take a member out, with the member's keys, or leave yourself."""
        return self._json(Member, "DELETE", f"/v1/organisations/{place(id, 'id')}/members/{place(user, 'user')}")

    def set_member(
        self,
        id: str,
        user: str,
        *,
        role: Literal["owner", "admin", "member", "viewer"] | None = None,
    ) -> Member:
        """Add a member, or give one another role; it counts in the next call.

        role: member, if left out
        """
        in_body: dict[str, Any] = {"role": role}
        return self._json(
            Member,
            "PUT",
            f"/v1/organisations/{place(id, 'id')}/members/{place(user, 'user')}",
            safe=True,
            body=in_body,
        )

    def get_profile(
        self,
        query: str | None = None,
        *,
        container: str | None = None,
        as_of: str | date | datetime | None = None,
        valid_at: str | date | datetime | None = None,
        max_tokens: int | None = None,
    ) -> Profile:
        """What is known: facts that hold, what happened lately, what is relevant to a query.

        container: a path (its subtree), work! (it alone), work.* (its children); none: everything
        as_of: ISO 8601 date or time: what was known then
        valid_at: ISO 8601 date or time: made of what was true then
        max_tokens: of all lines together; none: no bound
        """
        in_query: dict[str, Any] = {
            "query": query,
            "container": container,
            "as_of": as_of,
            "valid_at": valid_at,
            "max_tokens": max_tokens,
        }
        return self._json(Profile, "GET", "/v1/profile", safe=True, query=in_query)

    def rebuild(
        self,
        *,
        containers: str | Sequence[str] | None = None,
        cursor: str | None = None,
        document_id: str | None = None,
        what: Literal["summaries", "embeddings", "graph", "index"] | None = None,
    ) -> Rebuilt:
        """Make again what is derived: summaries, embeddings, graph or index.

        cursor: next_cursor of the answer before: a long work is done in stretches of about ten seconds
        document_id: only this one
        """
        in_body: dict[str, Any] = {
            "containers": containers,
            "cursor": cursor,
            "document_id": document_id,
            "what": what,
        }
        return self._json(Rebuilt, "POST", "/v1/rebuild", body=in_body)

    def list_recall_files(
        self,
        *,
        cursor: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
        as_of: str | date | datetime | None = None,
        container: str | None = None,
        conversation_id: str | None = None,
        status: str | None = None,
        topic: str | None = None,
        sort: str | None = None,
        order: Literal["asc", "desc"] | None = None,
    ) -> Listing[RecallFile]:
        """List the stretches of conversations, newest first.

        cursor: next_cursor of the page before
        limit: 1-100, default 20
        offset: instead of cursor: how many to pass over
        as_of: ISO 8601: as it was known then
        status: active, finalized, archived
        topic: a part of it, or about how it is spelled
        sort: created_at (default), updated_at, last_accessed_at, topic, token_count
        order: default desc
        """
        in_query: dict[str, Any] = {
            "cursor": cursor,
            "limit": limit,
            "offset": offset,
            "as_of": as_of,
            "container": container,
            "conversation_id": conversation_id,
            "status": status,
            "topic": topic,
            "sort": sort,
            "order": order,
        }
        return self._list(RecallFile, "GET", "/v1/recall-files", safe=True, query=in_query)

    def get_recall_file(
        self,
        id: str,
        *,
        as_of: str | date | datetime | None = None,
        include: str | Sequence[str] | None = None,
    ) -> RecallFile:
        """One recall file with the parts that are asked for.

        as_of: ISO 8601: as it was known then
        include: summary, keywords, transcript, artifacts; several with commas
        """
        in_query: dict[str, Any] = {"as_of": as_of, "include": include}
        return self._json(RecallFile, "GET", f"/v1/recall-files/{place(id, 'id')}", safe=True, query=in_query)

    def get_artifact(self, id: str, name: str, *, as_of: str | date | datetime | None = None) -> bytes:
        """An artifact of a recall file, byte for byte.

        as_of: ISO 8601: as it was known then
        """
        in_query: dict[str, Any] = {"as_of": as_of}
        return self._bytes(
            "GET",
            f"/v1/recall-files/{place(id, 'id')}/artifacts/{place(name, 'name')}",
            safe=True,
            query=in_query,
            wait=True,
        )

    def list_receipts(
        self,
        *,
        cursor: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> Listing[Deletion]:
        """What was removed for good, newest first.

        cursor: next_cursor of the page before
        limit: 1-100, default 20
        offset: instead of cursor: how many to pass over
        """
        in_query: dict[str, Any] = {"cursor": cursor, "limit": limit, "offset": offset}
        return self._list(Deletion, "GET", "/v1/receipts", safe=True, query=in_query)

    def get_receipt(self, id: str, *, wait: Literal["scrubbed"] | None = None) -> Deletion:
        """What a deletion took away, and whether the store's own files still hold any of it."""
        in_query: dict[str, Any] = {"wait": wait}
        return self._json(Deletion, "GET", f"/v1/receipts/{place(id, 'id')}", safe=True, query=in_query)

    def diff(
        self,
        id: str,
        *,
        from_: str | date | datetime | None = None,
        to: str | date | datetime | None = None,
        with_: str | None = None,
    ) -> Diff:
        """How a record differs between two moments.

        from_: ISO 8601
        to: ISO 8601; now when left out
        with_: instead of moments: the id of another document, like an earlier version, that this one is
            compared to
        """
        in_query: dict[str, Any] = {"from": from_, "to": to, "with": with_}
        return self._json(Diff, "GET", f"/v1/records/{place(id, 'id')}/diff", safe=True, query=in_query)

    def list_history(
        self,
        id: str,
        *,
        cursor: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
        as_of: str | date | datetime | None = None,
    ) -> Listing[Delta]:
        """The changes of a memory, document, conversation or container, newest first.

        cursor: next_cursor of the page before
        limit: 1-100, default 20
        offset: instead of cursor: how many to pass over
        as_of: ISO 8601: as it was known then
        """
        in_query: dict[str, Any] = {"cursor": cursor, "limit": limit, "offset": offset, "as_of": as_of}
        return self._list(Delta, "GET", f"/v1/records/{place(id, 'id')}/history", safe=True, query=in_query)

    def restore_record(self, id: str, at: str | date | datetime, *, reason: str | None = None) -> list[Delta]:
        """Make the state of a moment current again.

        at: the moment whose state is to return
        """
        in_body: dict[str, Any] = {"at": at, "reason": reason}
        return self._items(Delta, "POST", f"/v1/records/{place(id, 'id')}/restore", body=in_body)

    def rederive(
        self,
        *,
        apply: bool | None = None,
        containers: str | Sequence[str] | None = None,
        cursor: str | None = None,
        document_id: str | None = None,
        model: bool | None = None,
    ) -> Rederived:
        """Read what is kept again by today's rules or model, and show or apply what that changes in memories.

        apply: false: only say what would change
        cursor: next_cursor of the answer before: a long work is done in stretches of about ten seconds
        document_id: only this one
        model: read by the configured model, and compare with what models drew, instead of the rules
        """
        in_body: dict[str, Any] = {
            "apply": apply,
            "containers": containers,
            "cursor": cursor,
            "document_id": document_id,
            "model": model,
        }
        return self._json(Rederived, "POST", "/v1/rederive", body=in_body)

    def search(
        self,
        query: str | None = None,
        *,
        as_of: str | date | datetime | None = None,
        container: str | Sequence[str] | None = None,
        containers: Sequence[str] | None = None,
        conversation: str | None = None,
        date_range: DateRange | None = None,
        expect: str | None = None,
        filters: Mapping[str, Any] | None = None,
        from_: str | date | datetime | None = None,
        include: Sequence[str] | None = None,
        include_related: bool | None = None,
        include_transcripts: bool | None = None,
        inherit: bool | None = None,
        limit: int | None = None,
        max_results: int | None = None,
        memory_types: Sequence[str] | None = None,
        min_score: float | None = None,
        offset: int | None = None,
        project_id: str | None = None,
        ranker: str | None = None,
        session: str | None = None,
        tags: Sequence[str] | None = None,
        threshold: float | None = None,
        to: str | date | datetime | None = None,
        topics: Sequence[str] | None = None,
        types: Sequence[str] | None = None,
        valid_at: str | date | datetime | None = None,
        valid_from: str | date | datetime | None = None,
        valid_to: str | date | datetime | None = None,
    ) -> Found:
        """Find what is relevant, by meaning and by words.

        query: empty: the newest first
        as_of: what had been saved by then
        container: a path (its subtree), work! (it alone), work.* (its children)
        conversation: id of a conversation: its messages alone
        date_range: the same as filters.after and filters.before
        expect: say in stats.why_not at which stage this record was dropped
        filters: conditions that must all hold, like {"entity": "Dave", "from": "2026-03-01"}; and, or,
            not nest
        from_: the same as filters.from: what happened, was said or is dated at or after this
        include: content: the whole text of each hit's document
        include_related: the same as include related
        include_transcripts: the same as include content
        inherit: search the ancestors too
        limit: 1-200, default 10
        max_results: the same as limit
        memory_types: the same as filters.kind
        min_score: least score of the ranker's own
        offset: how many results to pass over; offset and limit are at most 200 together
        project_id: the same as container
        ranker: lukasa (default), weighted, cascade, vector, text, rrf
        session: the same as filters.session
        tags: the same as filters.tags
        threshold: least relevance, 0..1
        to: the same as filters.to: before this
        topics: the same as filters.topic
        types: message, chunk, memory, document; recall_file: the documents that conversations became;
            defining_memory: memories of a defining kind
        valid_at: memories that were true then; with types that name them, messages sent and documents
            dated by then too
        valid_from: memories that were true then or later
        valid_to: memories that were true before then; with valid_from, at some time between them;
            messages and documents that types name, by their dates
        """
        in_body: dict[str, Any] = {
            "query": query,
            "as_of": as_of,
            "container": container,
            "containers": containers,
            "conversation": conversation,
            "date_range": date_range,
            "expect": expect,
            "filters": filters,
            "from": from_,
            "include": include,
            "include_related": include_related,
            "include_transcripts": include_transcripts,
            "inherit": inherit,
            "limit": limit,
            "max_results": max_results,
            "memory_types": memory_types,
            "min_score": min_score,
            "offset": offset,
            "project_id": project_id,
            "ranker": ranker,
            "session": session,
            "tags": tags,
            "threshold": threshold,
            "to": to,
            "topics": topics,
            "types": types,
            "valid_at": valid_at,
            "valid_from": valid_from,
            "valid_to": valid_to,
        }
        return self._json(Found, "POST", "/v1/search", safe=True, body=in_body)

    def get_stats(self, *, as_of: str | date | datetime | None = None) -> Stats:
        """What there is, in numbers.

        as_of: ISO 8601: as it was known then
        """
        in_query: dict[str, Any] = {"as_of": as_of}
        return self._json(Stats, "GET", "/v1/stats", safe=True, query=in_query)

    def empty_trash(self) -> list[Deletion]:
        """Remove everything in the trash for good."""
        return self._items(Deletion, "DELETE", "/v1/trash")

    def list_trash(
        self,
        *,
        cursor: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> Listing[Buried]:
        """What lies in the trash, newest first.

        cursor: next_cursor of the page before
        limit: 1-100, default 20
        offset: instead of cursor: how many to pass over
        """
        in_query: dict[str, Any] = {"cursor": cursor, "limit": limit, "offset": offset}
        return self._list(Buried, "GET", "/v1/trash", safe=True, query=in_query)

    def purge(self, id: str) -> Deleted:
        """Remove a record in the trash for good."""
        return self._json(Deleted, "DELETE", f"/v1/trash/{place(id, 'id')}")

    def restore_from_trash(self, id: str) -> Restored:
        """Take a record out of the trash, with what went along."""
        return self._json(Restored, "POST", f"/v1/trash/{place(id, 'id')}/restore")

    def list_tree(
        self,
        *,
        container: str | None = None,
        as_of: str | date | datetime | None = None,
    ) -> Listing[Branch]:
        """Containers as branches.

        container: pattern; none means all
        as_of: ISO 8601: as it was then
        """
        in_query: dict[str, Any] = {"container": container, "as_of": as_of}
        return self._list(Branch, "GET", "/v1/tree", safe=True, query=in_query)

    def get_usage(self, *, user_id: str | None = None) -> UserUsage:
        """What you have, and may have.

        user_id: admins only: of this user
        """
        in_query: dict[str, Any] = {"user_id": user_id}
        return self._json(UserUsage, "GET", "/v1/usage", safe=True, query=in_query)

    def list_users(self) -> Listing[User]:
        """List users."""
        return self._list(User, "GET", "/v1/users", safe=True)

    def create_user(
        self,
        name: str | None = None,
        *,
        email: str | None = None,
        external_id: str | None = None,
        role: str | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> User:
        """Make a user with records of their own."""
        in_body: dict[str, Any] = {
            "name": name,
            "email": email,
            "external_id": external_id,
            "role": role,
            "settings": settings,
        }
        return self._json(User, "POST", "/v1/users", body=in_body)

    def delete_user(self, id: str, *, soft: bool | None = None, wait: Literal["scrubbed"] | None = None) -> Deleted:
        """Remove a user and everything of theirs, softly or for good.

        soft: put it into the trash, from where it can be restored, instead of removing it for good
        wait: scrubbed: answer once the store's own files are cleaned and searched for what was removed
        """
        in_query: dict[str, Any] = {"soft": soft, "wait": wait}
        return self._json(Deleted, "DELETE", f"/v1/users/{place(id, 'id')}", query=in_query)

    def update_user(self, id: str, *, settings: Mapping[str, Any]) -> User:
        """Change a user's settings, limits and retention among them.

        settings: merged; null removes a name. limits {files, storage, sessions, requests} and
            retention_days mean something here
        """
        in_body: dict[str, Any] = {"settings": settings}
        return self._json(User, "PATCH", f"/v1/users/{place(id, 'id')}", safe=True, body=in_body)

    def restore_user(self, id: str) -> User:
        """Take a user out of the trash."""
        return self._json(User, "POST", f"/v1/users/{place(id, 'id')}/restore")

    def whoami(self) -> Identity:
        """Who this key speaks for."""
        return self._json(Identity, "GET", "/v1/whoami", safe=True)
