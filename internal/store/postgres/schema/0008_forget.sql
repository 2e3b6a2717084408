-- A conversation, or one message of it, may be wanted for a time only, as a document or a memory may.

ALTER TABLE conversations ADD COLUMN forget_after BIGINT;
ALTER TABLE messages ADD COLUMN forget_after BIGINT;
CREATE INDEX conversations_forget ON conversations (forget_after) WHERE forget_after IS NOT NULL;
CREATE INDEX messages_forget ON messages (forget_after) WHERE forget_after IS NOT NULL;
