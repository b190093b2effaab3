import type { Metadata, Tool } from "../contract/assistants/parts.ts";
import type { Attachment, ContentPart } from "../contract/assistants/threads.ts";
import { GatewayError } from "../contract/errors.ts";
import { newRecordId } from "./new-ids.ts";
import type { MessagePart } from "./records.ts";
import type { NewMessage } from "./store.ts";

/** A message as a caller says it. */
export interface SaidMessage {
  readonly role: "user" | "assistant";
  readonly content: string | readonly ContentPart[];
  readonly attachments: readonly Attachment[];
  readonly metadata: Metadata;
}

export function newMessage(threadId: string, said: SaidMessage, nowMs: number): NewMessage {
  return {
    id: newRecordId("msg"),
    threadId,
    createdAt: nowMs,
    runId: null,
    assistantId: null,
    role: said.role,
    status: "completed",
    content: typeof said.content === "string" ? [textPart(said.content)] : said.content.map(toPart),
    attachments: said.attachments,
    metadata: said.metadata,
    completedAt: nowMs,
    incompleteAt: null,
    incompleteReason: null,
  };
}

const textPart = (value: string): MessagePart => ({ type: "text", text: { value, annotations: [] } });

const toPart = (part: ContentPart): MessagePart => (part.type === "text" ? textPart(part.text) : part);

/** Files that messages show or bring along. */
export function fileIdsOf(messages: readonly SaidMessage[]): string[] {
  const shown = messages.flatMap(({ content }) =>
    typeof content === "string" ? [] : content.flatMap((p) => (p.type === "image_file" ? [p.image_file.file_id] : [])),
  );
  const attached = messages.flatMap(({ attachments }) => attachments.map(({ file_id }) => file_id));
  return [...new Set([...shown, ...attached])];
}

/** Files that are brought along to be searched. */
export const searchedFiles = (messages: readonly SaidMessage[]): string[] => [
  ...new Set(
    messages.flatMap(({ attachments }) =>
      attachments
        .filter(({ tools }) => tools?.some(({ type }) => type === "file_search"))
        .map(({ file_id }) => file_id),
    ),
  ),
];

/** An attachment is for a tool that there is. */
export function checkAttachments(messages: readonly SaidMessage[], served: ReadonlySet<Tool["type"]>): void {
  for (const { attachments } of messages) {
    for (const { tools } of attachments) {
      const unserved = tools?.find(({ type }) => !served.has(type));
      if (!unserved) continue;
      throw new GatewayError("invalid_request", `The tool \`${unserved.type}\` is not served here.`, {
        param: "attachments",
      });
    }
  }
}
