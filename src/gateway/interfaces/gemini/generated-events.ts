import type { ChatChunk, ChatDelta, Usage } from "../../../contract/chat.ts";
import { googleErrorBody } from "../../../contract/error-body.ts";
import type { GatewayError } from "../../../contract/errors.ts";
import { sseText } from "../../../lib/sse.ts";
import { ownParts } from "../../../providers/gemini/own-form.ts";
import { callSignature, textSignature } from "../../../providers/gemini/signature.ts";
import { sealedItems } from "../../../providers/openai-responses/thoughts.ts";
import type { Fields } from "../../call/gateway.ts";
import type { ResponseMetadata } from "../../call/response-metadata.ts";
import type { EventForm } from "../shared/event-body.ts";
import { recordsIn } from "../shared/read-chunk.ts";
import { HeardCalls, type ToolCallBuffer } from "../shared/tool-call-buffer.ts";
import { finishReason, likelihoods, sourcesOf } from "./candidate.ts";
import { callPart, picture, sealed } from "./generated-parts.ts";
import { generatedUsage } from "./generated-usage.ts";
import { sealThoughts } from "./thought-signature.ts";
import { responseId } from "./to-generated.ts";

/** How the pieces of a stream follow each other: as events, or as the items of one JSON list. */
export interface Framing {
  piece(json: string): string;
  end(): string;
}

export const asEvents = (): Framing => ({ piece: sseText, end: () => "" });

/** No JSON that is written here has these characters in a text. */
export const BETWEEN_PIECES = ",\r\n";

export function asList(): Framing {
  let isBegun = false;
  return {
    piece(json) {
      const before = isBegun ? BETWEEN_PIECES : "[";
      isBegun = true;
      return before + json;
    },
    end: () => (isBegun ? "]" : "[]"),
  };
}

interface Written {
  text: string;
  seal: string | null;
}

/** One candidate while it grows. Functions are called in one piece, so that calls wait for the end. */
interface Growing {
  readonly calls: HeardCalls<Written>;
  /** Those that have a name, in the order in which they began. */
  readonly named: ToolCallBuffer<Written>[];
  readonly blocks: Fields[];
  readonly items: Fields[];
  textSeal: string | null;
  sources: Fields;
  ended: Fields | null;
}

/** The chunks of a chat as the pieces of Google's stream, each of which is a small answer of its own. */
export class GeneratedEvents implements EventForm {
  readonly everyChoice = true;
  private readonly candidates = new Map<number, Growing>();
  private usage: Usage | null = null;
  private id = "";
  private model = "";
  /** What is told beside the answer: that another model went on with it. */
  private aside: Fields = {};

  constructor(
    private readonly framing: Framing,
    private readonly showsThoughts: boolean,
    /** By what the call is charged is known at its end. */
    private readonly told: Pick<ResponseMetadata, "estimate">,
  ) {}

  begin(): string {
    return "";
  }

  take({ id, model, choices, usage, gw_metadata }: ChatChunk): string {
    if (usage) this.usage = usage;
    if (gw_metadata) this.aside = { gw_metadata };
    this.id = id ?? this.id;
    this.model = model ?? this.model;
    let pieces = "";
    for (const choice of choices) {
      const index = choice.index ?? 0;
      const growing = this.candidates.get(index) ?? newCandidate();
      this.candidates.set(index, growing);
      const parts = this.hear(choice.delta, growing);
      const told = likelihoods(choice.logprobs);
      if (choice.finish_reason) growing.ended = choice as Fields;
      if (parts.length > 0 || Object.keys(told).length > 0) {
        pieces += this.piece([{ content: { parts, role: "model" }, index, ...told }]);
      }
    }
    return pieces;
  }

  /** What every candidate ends with, and the count of all tokens. */
  end(): string {
    const candidates = Array.from(this.candidates, ([index, growing]) => ({
      content: { parts: lastParts(growing), role: "model" },
      finishReason: finishReason(growing.ended ?? {}),
      index,
      ...growing.sources,
    }));
    return (
      this.piece(candidates, { ...generatedUsage(this.usage, this.told.estimate), ...this.aside }) + this.framing.end()
    );
  }

  fail(error: GatewayError): string {
    return this.framing.piece(JSON.stringify(googleErrorBody(error))) + this.framing.end();
  }

  private piece(candidates: readonly Fields[], more: Fields = {}): string {
    const names = { modelVersion: this.model, responseId: responseId(this.id) };
    return this.framing.piece(JSON.stringify({ candidates, ...more, ...names }));
  }

  /** What can be told at once; the rest is kept for the end. */
  private hear(delta: ChatDelta, growing: Growing): Fields[] {
    const { reasoning_content: thought, content, refusal } = delta;
    const parts: Fields[] = [];
    if (this.showsThoughts && isText(thought)) parts.push({ text: thought, thought: true });
    for (const part of ownParts(delta)) parts.push(part);
    for (const text of [content, refusal]) if (isText(text)) parts.push({ text });
    for (const image of recordsIn(delta.images)) parts.push(...picture(image));
    for (const call of delta.tool_calls ?? []) hearCall(growing, growing.calls.hear(call), callSignature(call));
    for (const block of recordsIn(delta.thinking_blocks)) growing.blocks.push(block);
    for (const item of sealedItems(delta)) growing.items.push(item);
    growing.textSeal = textSignature(delta) ?? growing.textSeal;
    growing.sources = { ...growing.sources, ...sourcesOf(delta) };
    return parts;
  }
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

const newCandidate = (): Growing => ({
  calls: new HeardCalls(),
  named: [],
  blocks: [],
  items: [],
  textSeal: null,
  sources: {},
  ended: null,
});

function hearCall({ named }: Growing, call: ToolCallBuffer<Written> | null, seal: string | null): void {
  if (!call) return;
  if (!call.told) named.push(call);
  call.told ??= { text: "", seal: null };
  call.told.text += call.take();
  call.told.seal ??= seal;
}

/** The calls, with the seal of what led to them; without a call the seal stands on a text of no words, as Google has it. */
function lastParts({ calls, named, blocks, items, textSeal }: Growing): Fields[] {
  const seal = sealThoughts({ blocks, items });
  const all = [...named, ...calls.nameless];
  const parts = all.map((call, at) => {
    const { text, seal: own } = call.told ?? { text: call.take(), seal: null };
    const asked = { id: call.id || `call_${call.index}`, function: { name: call.name, arguments: text } };
    return callPart(asked, own ?? (at === 0 ? seal : null));
  });
  const onText = textSeal ?? (all.length === 0 ? seal : null);
  return onText !== null || all.length === 0 ? [{ text: "", ...sealed(onText) }, ...parts] : parts;
}
