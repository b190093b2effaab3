import Type, { type TSchema } from "typebox";
import type { Assistant, Message, Thread } from "../../assistants/records.ts";
import type { Cursor, Slice } from "../../assistants/store.ts";
import type { CursorQuery } from "../../contract/assistants/parts.ts";
import type { CreateMessage } from "../../contract/assistants/threads.ts";

/** Times on the wire are whole seconds. */
export const seconds = (ms: number): number => Math.floor(ms / 1000);
export const secondsOrNull = (ms: number | null): number | null => (ms === null ? null : seconds(ms));

const LIMIT = 20;

export const cursorOf = ({ limit, order, after, before }: CursorQuery): Cursor => ({
  limit: limit ?? LIMIT,
  order: order ?? "desc",
  after: after ?? null,
  before: before ?? null,
});

export function listWire<T extends { readonly id: string }>({ rows, more }: Slice<T>, render: (row: T) => object) {
  return {
    object: "list",
    data: rows.map(render),
    first_id: rows[0]?.id ?? null,
    last_id: rows.at(-1)?.id ?? null,
    has_more: more,
  };
}

export const CursorList = (row: TSchema) =>
  Type.Object({
    object: Type.Literal("list"),
    data: Type.Array(row),
    first_id: Type.Union([Type.String(), Type.Null()]),
    last_id: Type.Union([Type.String(), Type.Null()]),
    has_more: Type.Boolean(),
  });

export const assistantWire = (assistant: Assistant) => ({
  id: assistant.id,
  object: "assistant",
  created_at: seconds(assistant.createdAt),
  name: assistant.name,
  description: assistant.description,
  model: assistant.model,
  instructions: assistant.instructions,
  tools: assistant.tools,
  tool_resources: assistant.toolResources,
  metadata: assistant.metadata,
  temperature: assistant.temperature ?? 1,
  top_p: assistant.topP ?? 1,
  response_format: assistant.responseFormat ?? "auto",
  reasoning_effort: assistant.reasoningEffort,
});

export const threadWire = (thread: Thread) => ({
  id: thread.id,
  object: "thread",
  created_at: seconds(thread.createdAt),
  metadata: thread.metadata,
  tool_resources: thread.toolResources,
});

export const messageWire = (message: Message) => ({
  id: message.id,
  object: "thread.message",
  created_at: seconds(message.createdAt),
  thread_id: message.threadId,
  status: message.status,
  incomplete_details: message.incompleteReason === null ? null : { reason: message.incompleteReason },
  completed_at: secondsOrNull(message.completedAt),
  incomplete_at: secondsOrNull(message.incompleteAt),
  role: message.role,
  content: message.content,
  assistant_id: message.assistantId,
  run_id: message.runId,
  attachments: message.attachments,
  metadata: message.metadata,
});

/** A message as it came, with everything that may be left out. */
export const saidMessage = ({ role, content, attachments, metadata }: CreateMessage) => ({
  role,
  content,
  attachments: attachments ?? [],
  metadata: metadata ?? {},
});
