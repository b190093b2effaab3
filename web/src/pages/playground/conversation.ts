/** One conversation with one model. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON text, as the model wrote it. */
  readonly input: string;
}

export interface Question {
  readonly kind: "question";
  readonly id: string;
  readonly text: string;
  /** `data:` addresses. */
  readonly images: readonly string[];
}

export interface Answer {
  readonly kind: "answer";
  readonly id: string;
  readonly model: string;
  readonly state: "waiting" | "streaming" | "done" | "stopped" | "failed";
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls: readonly ToolCall[];
  readonly error: Error | null;
  readonly finish: string | null;
  readonly timing: Timing;
}

export interface ToolResult {
  readonly kind: "result";
  readonly id: string;
  readonly callId: string;
  readonly name: string;
  readonly text: string;
}

export type Entry = Question | Answer | ToolResult;

/** As the browser saw it, in milliseconds; the server's own figures stand in the log. */
export interface Timing {
  /** The id of the call, by which the log knows it. */
  readonly callId: string | null;
  readonly firstMs: number | null;
  readonly totalMs: number | null;
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
}

export const NO_TIMING: Timing = {
  callId: null,
  firstMs: null,
  totalMs: null,
  promptTokens: null,
  completionTokens: null,
};

export const newAnswer = (model: string): Answer => ({
  kind: "answer",
  id: newId(),
  model,
  state: "waiting",
  text: "",
  reasoning: "",
  toolCalls: [],
  error: null,
  finish: null,
  timing: NO_TIMING,
});

let last = 0;
export const newId = (): string => `e${++last}`;

export interface Column {
  readonly id: string;
  readonly model: string;
  readonly entries: readonly Entry[];
}

/** Calls that wait for their result: those of the last answer that nobody has answered yet. */
export function openCalls(entries: readonly Entry[]): readonly ToolCall[] {
  const at = entries.findLastIndex(({ kind }) => kind === "answer");
  const answer = entries[at];
  if (answer?.kind !== "answer") return [];
  const answered = entries.slice(at + 1).flatMap((entry) => (entry.kind === "result" ? [entry.callId] : []));
  return answer.toolCalls.filter(({ id }) => !answered.includes(id));
}

/** What is sent: answers that failed before they said anything are left out. */
export function messagesOf(entries: readonly Entry[], system: string): readonly Record<string, unknown>[] {
  const said = entries.flatMap((entry) => {
    if (entry.kind === "question") return [{ role: "user", content: contentOf(entry) }];
    if (entry.kind === "result") return [{ role: "tool", tool_call_id: entry.callId, content: entry.text }];
    if (entry.text === "" && entry.toolCalls.length === 0) return [];
    return [{ role: "assistant", content: entry.text === "" ? null : entry.text, ...callsOf(entry) }];
  });
  return system.trim() === "" ? said : [{ role: "system", content: system }, ...said];
}

function contentOf({ text, images }: Question): unknown {
  if (images.length === 0) return text;
  const shown = images.map((url) => ({ type: "image_url", image_url: { url } }));
  return [...(text === "" ? [] : [{ type: "text", text }]), ...shown];
}

const callsOf = ({ toolCalls }: Answer) =>
  toolCalls.length === 0
    ? {}
    : {
        tool_calls: toolCalls.map(({ id, name, input }) => ({
          id,
          type: "function",
          function: { name, arguments: input },
        })),
      };
