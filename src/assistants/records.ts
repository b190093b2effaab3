import type { Metadata, ResponseFormat, Tool, ToolResources } from "../contract/assistants/parts.ts";
import type { Attachment } from "../contract/assistants/threads.ts";

/** Times are milliseconds here and whole seconds on the wire. Tools, contents and formats are kept as they came. */
export interface Assistant {
  readonly id: string;
  /** Null for what the master key has made. */
  readonly teamId: string | null;
  readonly createdAt: number;
  readonly model: string;
  readonly name: string | null;
  readonly description: string | null;
  readonly instructions: string | null;
  readonly tools: readonly Tool[];
  readonly toolResources: ToolResources;
  readonly metadata: Metadata;
  readonly temperature: number | null;
  readonly topP: number | null;
  readonly responseFormat: ResponseFormat | null;
  readonly reasoningEffort: string | null;
}

export interface Thread {
  readonly id: string;
  readonly teamId: string | null;
  readonly createdAt: number;
  readonly toolResources: ToolResources;
  readonly metadata: Metadata;
}

/** A passage of a file that a text refers to; the places are those of the text's characters. */
export interface Citation {
  readonly type: "file_citation";
  readonly text: string;
  readonly start_index: number;
  readonly end_index: number;
  readonly file_citation: { readonly file_id: string };
}

export type MessagePart =
  | { readonly type: "text"; readonly text: { readonly value: string; readonly annotations: readonly Citation[] } }
  | { readonly type: "image_url"; readonly image_url: { readonly url: string; readonly detail?: string | null } }
  | { readonly type: "image_file"; readonly image_file: { readonly file_id: string; readonly detail?: string | null } };

export interface Message {
  readonly id: string;
  readonly threadId: string;
  /** Counts the messages of a thread, in the order in which they were said. */
  readonly position: number;
  readonly createdAt: number;
  readonly runId: string | null;
  readonly assistantId: string | null;
  readonly role: "user" | "assistant";
  readonly status: "in_progress" | "incomplete" | "completed";
  readonly content: readonly MessagePart[];
  readonly attachments: readonly Attachment[];
  readonly metadata: Metadata;
  readonly completedAt: number | null;
  readonly incompleteAt: number | null;
  readonly incompleteReason: string | null;
}
