/** What the gateway answers with, as far as these pages show it. Times are whole seconds. */
export interface StoredFile {
  readonly id: string;
  readonly bytes: number;
  readonly created_at: number;
  readonly expires_at: number | null;
  readonly filename: string;
  readonly purpose: string;
}

export interface Batch {
  readonly input_file_id: string;
  readonly id: string;
  readonly endpoint: string;
  readonly status:
    | "validating"
    | "in_progress"
    | "finalizing"
    | "completed"
    | "failed"
    | "expired"
    | "cancelling"
    | "cancelled";
  readonly created_at: number;
  readonly in_progress_at: number | null;
  readonly completed_at: number | null;
  readonly failed_at: number | null;
  readonly expired_at: number | null;
  readonly cancelled_at: number | null;
  readonly output_file_id: string | null;
  readonly error_file_id: string | null;
  readonly request_counts: { readonly total: number; readonly completed: number; readonly failed: number };
  readonly errors: { readonly data: readonly { readonly message: string; readonly line: number | null }[] } | null;
}

export interface VectorStore {
  readonly id: string;
  readonly created_at: number;
  readonly name: string | null;
  readonly description: string | null;
  readonly usage_bytes: number;
  readonly file_counts: {
    readonly in_progress: number;
    readonly completed: number;
    readonly failed: number;
    readonly cancelled: number;
    readonly total: number;
  };
  readonly status: "in_progress" | "completed" | "expired";
  readonly expires_at: number | null;
  readonly last_active_at: number | null;
  readonly embedding_model: string | null;
}

export interface StoreFile {
  readonly id: string;
  readonly created_at: number;
  readonly usage_bytes: number;
  readonly status: "in_progress" | "completed" | "failed" | "cancelled";
  readonly last_error: { readonly message: string } | null;
}

export interface Passage {
  readonly file_id: string;
  readonly filename: string;
  readonly score: number;
  readonly content: readonly { readonly text: string }[];
}

export type Tool =
  | { readonly type: "file_search" }
  | { readonly type: "function"; readonly function: { readonly name: string } };

export interface Assistant {
  readonly id: string;
  readonly created_at: number;
  readonly name: string | null;
  readonly description: string | null;
  readonly model: string;
  readonly instructions: string | null;
  readonly tools: readonly Tool[];
  readonly tool_resources: { readonly file_search?: { readonly vector_store_ids?: readonly string[] } | null } | null;
  readonly temperature: number;
}

export interface Thread {
  readonly id: string;
  readonly created_at: number;
  readonly metadata: Readonly<Record<string, string>>;
}

export interface Message {
  readonly id: string;
  readonly created_at: number;
  readonly role: "user" | "assistant";
  readonly status: string | null;
  readonly run_id: string | null;
  readonly content: readonly MessagePart[];
}

export interface MessagePart {
  readonly type: string;
  readonly text?: { readonly value?: string; readonly annotations?: readonly Annotation[] };
  readonly image_url?: { readonly url: string };
  readonly image_file?: { readonly file_id: string };
}

interface Annotation {
  readonly text: string;
  readonly file_citation?: { readonly file_id: string };
}

export type RunStatus =
  | "queued"
  | "in_progress"
  | "requires_action"
  | "cancelling"
  | "cancelled"
  | "failed"
  | "completed"
  | "incomplete"
  | "expired";

export interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  /** Not there in what was kept before costs were. */
  readonly cost_nano?: number;
}

export interface Run {
  readonly id: string;
  readonly created_at: number;
  readonly thread_id: string;
  readonly assistant_id: string;
  readonly status: RunStatus;
  readonly started_at: number | null;
  readonly cancelled_at: number | null;
  readonly failed_at: number | null;
  readonly completed_at: number | null;
  readonly required_action: {
    readonly submit_tool_outputs: { readonly tool_calls: readonly FunctionCall[] };
  } | null;
  readonly last_error: { readonly code: string; readonly message: string } | null;
  readonly incomplete_details: { readonly reason: string } | null;
  readonly model: string;
  readonly usage: Usage | null;
}

export interface FunctionCall {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string; readonly output?: string | null };
}

export interface SearchCall {
  readonly id: string;
  readonly type: "file_search";
  readonly file_search: {
    readonly results: readonly {
      readonly file_name: string;
      readonly score: number;
      readonly content?: readonly { readonly text: string }[];
    }[];
  };
}

export interface Step {
  readonly id: string;
  readonly created_at: number;
  readonly type: "message_creation" | "tool_calls";
  readonly status: string;
  readonly completed_at: number | null;
  readonly cancelled_at: number | null;
  readonly failed_at: number | null;
  readonly expired_at: number | null;
  readonly last_error: { readonly message: string } | null;
  readonly step_details: {
    readonly message_creation?: { readonly message_id: string };
    readonly tool_calls?: readonly ((FunctionCall & { readonly type: "function" }) | SearchCall)[];
  };
  readonly usage: Usage | null;
}
