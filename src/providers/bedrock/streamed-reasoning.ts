import type { ChatDelta } from "../../contract/chat.ts";

type Fields = Readonly<Record<string, unknown>>;

interface OpenThought {
  text: string;
  signature: string;
  redacted: string;
}

/** Reasoning of a stream: its text passes at once, its signed block when it is whole. */
export class StreamedReasoning {
  private readonly open = new Map<unknown, OpenThought>();

  push(index: unknown, { text, signature, redactedContent }: Fields): ChatDelta[] {
    const thought = this.open.get(index) ?? { text: "", signature: "", redacted: "" };
    this.open.set(index, thought);
    if (typeof signature === "string") thought.signature += signature;
    if (typeof redactedContent === "string") thought.redacted += redactedContent;
    if (typeof text !== "string" || text === "") return [];
    thought.text += text;
    return [{ reasoning_content: text }];
  }

  /** Without an index: all that are open, for a message that ends without closing its blocks. */
  stop(index: unknown): ChatDelta[] {
    const ended = index === null ? [...this.open.keys()] : [index];
    const blocks = ended.flatMap((key) => signedBlocks(this.open.get(key)));
    for (const key of ended) this.open.delete(key);
    return blocks.length === 0 ? [] : [{ thinking_blocks: blocks }];
  }
}

function signedBlocks(thought: OpenThought | undefined): Record<string, unknown>[] {
  if (thought === undefined) return [];
  const { text, signature, redacted } = thought;
  return [
    ...(redacted === "" ? [] : [{ type: "redacted_thinking", data: redacted }]),
    ...(signature === "" ? [] : [{ type: "thinking", thinking: text, signature }]),
  ];
}
