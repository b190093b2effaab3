import type { Metadata, ResponseFormat, Tool, ToolResources } from "../contract/assistants/parts.ts";
import type { RequestSource } from "../contract/request-source.ts";

export const RUN_STATUSES = [
  "queued",
  "in_progress",
  "requires_action",
  "cancelling",
  "cancelled",
  "failed",
  "completed",
  "incomplete",
  "expired",
] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

export type ToolChoice = string | Readonly<Record<string, unknown>>;

/** What a run was asked to do; it stays as it is. */
export interface RunSettings {
  readonly model: string;
  readonly instructions: string;
  readonly tools: readonly Tool[];
  readonly toolResources: ToolResources;
  readonly toolChoice: ToolChoice | null;
  readonly parallelToolCalls: boolean;
  readonly responseFormat: ResponseFormat | null;
  readonly temperature: number | null;
  readonly topP: number | null;
  readonly reasoningEffort: string | null;
  readonly maxPromptTokens: number | null;
  readonly maxCompletionTokens: number | null;
  readonly truncation: { readonly type: "auto" | "last_messages"; readonly lastMessages: number | null };
  readonly source: RequestSource;
}

export interface RunFault {
  readonly code: "server_error" | "rate_limit_exceeded" | "invalid_prompt";
  readonly message: string;
}

export interface RunUsage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly totalTokens: number;
  /** In nano-USD; not there in what was kept before costs were. */
  readonly costNano?: number;
}

/** A function that the caller has to carry out. */
export interface FunctionCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** How far a run has come. */
export interface RunProgress {
  readonly startedAt: number | null;
  readonly cancelledAt: number | null;
  readonly failedAt: number | null;
  readonly completedAt: number | null;
  readonly lastError: RunFault | null;
  readonly incompleteReason: "max_completion_tokens" | "max_prompt_tokens" | null;
  readonly waitsFor: readonly FunctionCall[] | null;
  /** Of all its calls of the model so far. */
  readonly used: RunUsage;
}

export interface Run {
  readonly id: string;
  readonly threadId: string;
  readonly teamId: string | null;
  /** Whose limits and credit its calls of the model count against. */
  readonly keyId: string;
  readonly assistantId: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly status: RunStatus;
  /** The process that carries it out, and until when it is known to be at it. */
  readonly leaseOwner: string | null;
  readonly leaseUntil: number | null;
  /** How often a process has taken it up where another left it. */
  readonly attempts: number;
  readonly settings: RunSettings;
  readonly progress: RunProgress;
  readonly metadata: Metadata;
}

/** A passage that a search has found. */
export interface FoundPassage {
  readonly fileId: string;
  readonly fileName: string;
  readonly score: number;
  readonly text: string;
}

export type StepCall =
  | {
      readonly type: "function";
      readonly id: string;
      readonly name: string;
      readonly arguments: string;
      readonly output: string | null;
    }
  | {
      readonly type: "file_search";
      readonly id: string;
      readonly arguments: string;
      readonly results: readonly FoundPassage[] | null;
    };

export interface Step {
  readonly id: string;
  readonly runId: string;
  readonly threadId: string;
  readonly assistantId: string;
  /** Counts the steps of a run. */
  readonly position: number;
  readonly createdAt: number;
  readonly status: "in_progress" | "cancelled" | "failed" | "completed" | "expired";
  /** The message of `tool_calls` is what the model said behind the calls. */
  readonly details:
    | { readonly type: "message_creation"; readonly messageId: string }
    | { readonly type: "tool_calls"; readonly calls: readonly StepCall[]; readonly messageId?: string };
  readonly usage: RunUsage | null;
  readonly lastError: RunFault | null;
  readonly completedAt: number | null;
  readonly cancelledAt: number | null;
  readonly failedAt: number | null;
  readonly expiredAt: number | null;
}
