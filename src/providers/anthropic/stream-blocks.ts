import type { ChatDelta } from "../../contract/chat.ts";
import { isRecord } from "../../lib/json.ts";
import { inputText, text, thinkingBlock } from "./answer.ts";
import { malformed } from "./failure.ts";
import { JSON_TOOL } from "./json-answer.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A call whose arguments are being written; `index` is null for the tool that hands over an answer in JSON. */
interface OpenCall {
  readonly kind: "call";
  readonly index: number | null;
  readonly input: unknown;
  isWritten: boolean;
}
interface OpenThinking {
  readonly kind: "thinking";
  readonly block: Record<string, unknown>;
}
type OpenBlock = OpenCall | OpenThinking | { readonly kind: "other" };

/** The content blocks of a streamed message, turned into deltas as they grow. */
export class StreamBlocks {
  private readonly open = new Map<unknown, OpenBlock>();
  private readonly thoughts: Record<string, unknown>[] = [];
  private calls = 0;

  constructor(
    private readonly unfoldsJson: boolean,
    private readonly asFunction: boolean,
    /** What has no place in a chat's deltas is told, too. */
    private readonly isOwn = false,
  ) {}

  get called(): "tool_calls" | "function_call" | null {
    if (this.calls === 0) return null;
    return this.asFunction ? "function_call" : "tool_calls";
  }

  /** Whole and at once, because clients that gather deltas do not join lists of objects piece by piece. */
  thinking(): ChatDelta[] {
    return this.thoughts.length === 0 ? [] : [{ thinking_blocks: this.thoughts.map(thinkingBlock) }];
  }

  start({ index, content_block: block }: Fields): ChatDelta[] {
    if (!isRecord(block)) throw malformed("begins a content block that is not an object");
    if (block.type === "tool_use") return this.startCall(index, block);
    const begun: ChatDelta[] = this.isOwn ? [{ anthropic_block: emptied(block) }] : [];
    if (block.type === "thinking" || block.type === "redacted_thinking")
      return [...begun, ...this.startThinking(index, block)];
    this.open.set(index, { kind: "other" });
    return block.type === "text" ? [...begun, ...piece("content", block.text)] : begun;
  }

  delta({ index, delta }: Fields): ChatDelta[] {
    if (!isRecord(delta)) throw malformed("has a delta that is not an object");
    const block = this.open.get(index);
    switch (delta.type) {
      case "text_delta":
        return piece("content", text(delta.text, "text"));
      case "thinking_delta":
        return this.think(block, text(delta.thinking, "thinking"));
      case "signature_delta":
        if (block?.kind === "thinking") block.block.signature = text(delta.signature, "signature");
        return this.own(delta);
      case "input_json_delta":
        if (block?.kind === "other") return this.own(delta);
        return this.write(block, text(delta.partial_json, "input"));
      default:
        return this.own(delta);
    }
  }

  private own(delta: Fields): ChatDelta[] {
    return this.isOwn ? [{ anthropic_delta: delta }] : [];
  }

  /** A tool without parameters gets no piece of input at all, yet its arguments have to be JSON. */
  stop({ index }: Fields): ChatDelta[] {
    const block = this.open.get(index);
    this.open.delete(index);
    if (block?.kind !== "call" || block.isWritten) return [];
    return this.argumentsDelta(block, inputText(block.input ?? {}));
  }

  private startCall(index: unknown, block: Fields): ChatDelta[] {
    const name = text(block.name, "tool name");
    const isAnswer = this.unfoldsJson && name === JSON_TOOL;
    const call: OpenCall = { kind: "call", index: isAnswer ? null : this.calls, input: block.input, isWritten: false };
    this.open.set(index, call);
    if (call.index === null) return [];
    this.calls += 1;
    if (!this.asFunction) {
      const id = text(block.id, "tool call id");
      const begun = { index: call.index, id, type: "function" as const, function: { name, arguments: "" } };
      return [{ ...(this.isOwn && { anthropic_block: block }), tool_calls: [begun] }];
    }
    return call.index === 0 ? [{ function_call: { name, arguments: "" } }] : [];
  }

  private startThinking(index: unknown, block: Fields): ChatDelta[] {
    const thought = { ...block };
    this.thoughts.push(thought);
    this.open.set(index, { kind: "thinking", block: thought });
    if (block.type === "redacted_thinking") return [];
    return piece("reasoning_content", text(block.thinking ?? "", "thinking"));
  }

  private think(block: OpenBlock | undefined, more: string): ChatDelta[] {
    if (block?.kind !== "thinking") throw malformed("goes on thinking where it did not begin");
    block.block.thinking = text(block.block.thinking ?? "", "thinking") + more;
    return piece("reasoning_content", more);
  }

  private write(block: OpenBlock | undefined, more: string): ChatDelta[] {
    if (block === undefined) throw malformed("has the input of a tool call that did not begin");
    if (block.kind !== "call" || more === "") return [];
    block.isWritten = true;
    return this.argumentsDelta(block, more);
  }

  private argumentsDelta({ index }: OpenCall, more: string): ChatDelta[] {
    if (index === null) return piece("content", more);
    if (!this.asFunction) return [{ tool_calls: [{ index, function: { arguments: more } }] }];
    return index === 0 ? [{ function_call: { arguments: more } }] : [];
  }
}

/** What a text or a thought begins with is told as its first piece. */
const emptied = (block: Fields): Fields =>
  block.type === "text" || block.type === "thinking" ? { ...block, [block.type]: "" } : block;

const piece = (name: "content" | "reasoning_content", more: unknown): ChatDelta[] =>
  typeof more === "string" && more !== "" ? [{ [name]: more }] : [];
