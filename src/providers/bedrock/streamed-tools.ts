import type { ChatDelta } from "../../contract/chat.ts";
import { isRecord } from "../../lib/json.ts";
import { ANSWER_TOOL } from "./json-answer.ts";
import type { StreamedText } from "./streamed-text.ts";
import { brokenAnswer } from "./title.ts";
import { NO_TOOL } from "./tool-config.ts";

type Fields = Readonly<Record<string, unknown>>;

interface OpenCall {
  /** Where the input goes; null for a call that is left out. */
  readonly delta: ((input: string) => ChatDelta) | null;
  hasInput: boolean;
}

/** Tool calls of a stream: their blocks by index, numbered anew among themselves. */
export class StreamedTools {
  private readonly open = new Map<unknown, OpenCall>();
  private calls = 0;

  constructor(
    private readonly asFunction: boolean,
    private readonly text: StreamedText,
  ) {}

  get called(): "tool_calls" | "function_call" | null {
    if (this.calls === 0) return null;
    return this.asFunction ? "function_call" : "tool_calls";
  }

  start({ contentBlockIndex: index, start }: Fields): ChatDelta[] {
    if (!isRecord(start) || !isRecord(start.toolUse)) return [];
    const { toolUseId: id, name } = start.toolUse;
    if (typeof id !== "string" || typeof name !== "string") throw brokenAnswer("has a tool call without a name");
    if (name === NO_TOOL) return this.begin(index, null, []);
    if (name === ANSWER_TOOL) {
      return this.begin(index, this.text.replace() ? (input) => ({ content: input }) : null, []);
    }
    const position = this.calls++;
    if (this.asFunction) return position === 0 ? this.startFunction(index, name) : this.begin(index, null, []);
    const opening = { index: position, id, type: "function" as const, function: { name, arguments: "" } };
    const delta = (input: string): ChatDelta => ({
      tool_calls: [{ index: position, function: { arguments: input } }],
    });
    return this.begin(index, delta, [{ tool_calls: [opening] }]);
  }

  input(index: unknown, input: unknown): ChatDelta[] {
    const call = this.open.get(index);
    if (call === undefined) throw brokenAnswer("has input for a tool that was not called");
    if (typeof input !== "string") throw brokenAnswer("has input for a tool that is no text");
    if (input === "") return [];
    call.hasInput = true;
    return call.delta === null ? [] : [call.delta(input)];
  }

  /** A call without any input has an empty object for it. */
  stop(index: unknown): ChatDelta[] {
    const call = this.open.get(index);
    this.open.delete(index);
    return call === undefined || call.hasInput || call.delta === null ? [] : [call.delta("{}")];
  }

  private startFunction(index: unknown, name: string): ChatDelta[] {
    const delta = (input: string): ChatDelta => ({ function_call: { arguments: input } });
    return this.begin(index, delta, [{ function_call: { name, arguments: "" } }]);
  }

  private begin(index: unknown, delta: OpenCall["delta"], deltas: ChatDelta[]): ChatDelta[] {
    this.open.set(index, { delta, hasInput: false });
    return deltas;
  }
}
