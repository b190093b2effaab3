import { GatewayError } from "../../contract/errors.ts";
import { isRecord } from "../../lib/json.ts";
import { findError } from "./failure.ts";
import { type Logprobs, logprobsOf } from "./logprobs.ts";
import type { InlineData } from "./wire.ts";

type Fields = Readonly<Record<string, unknown>>;

/** One answer of the upstream, or one event of its stream, checked. */
interface Generated {
  readonly candidates: readonly Candidate[];
  readonly usage: Fields | null;
}

export interface Candidate {
  readonly index: number;
  readonly pieces: readonly Piece[];
  /** Null while the candidate is not finished. */
  readonly finishReason: string | null;
  readonly finishMessage: string | null;
  readonly logprobs: Logprobs | null;
  /** What Google adds about its sources, under names in our spelling; null for nothing. */
  readonly extras: Fields | null;
}

export type Piece =
  | { readonly kind: "text" | "thought"; readonly text: string }
  | {
      readonly kind: "call";
      readonly id: string | null;
      readonly name: string;
      readonly args: string;
      readonly signature: string | null;
    }
  | { readonly kind: "media"; readonly data: InlineData; readonly signature: string | null }
  | { readonly kind: "signature"; readonly signature: string }
  /** Of a kind that chats do not have, such as code that Google ran itself. */
  | { readonly kind: "own"; readonly part: Fields };

const EXTRAS = [
  ["groundingMetadata", "grounding_metadata"],
  ["citationMetadata", "citation_metadata"],
  ["urlContextMetadata", "url_context_metadata"],
] as const;
const CHOICES_MAX = 128;

/** Throws for an error, for a refused prompt, and for what is no answer at all. */
export function readGenerated(body: unknown, title: string): Generated {
  const error = findError(body, title);
  if (error !== null) throw error;
  if (!isRecord(body)) throw broken(title, "is not a JSON object");
  const given = body.candidates ?? [];
  if (!Array.isArray(given)) throw broken(title, "has no list of candidates");
  const blocked = isRecord(body.promptFeedback) ? body.promptFeedback.blockReason : null;
  if (given.length === 0 && typeof blocked === "string") throw refusedPrompt(title, blocked);
  // An index of zero is left out on the wire.
  const isCounted = given.some(hasIndex);
  const candidates = given.map((one: unknown, at) => readCandidate(one, isCounted ? 0 : at, title));
  return { candidates, usage: isRecord(body.usageMetadata) ? body.usageMetadata : null };
}

const hasIndex = (one: unknown): boolean => isRecord(one) && typeof one.index === "number";

function readCandidate(given: unknown, position: number, title: string): Candidate {
  if (!isRecord(given)) throw broken(title, "has a candidate that is not an object");
  const index = typeof given.index === "number" ? given.index : position;
  if (!Number.isInteger(index) || index < 0 || index >= CHOICES_MAX)
    throw broken(title, "counts its candidates wrongly");
  let extras: Record<string, unknown> | null = null;
  for (const [name, ours] of EXTRAS) {
    const value = given[name];
    if (!isRecord(value) || Object.keys(value).length === 0) continue;
    extras ??= {};
    extras[ours] = value;
  }
  return {
    index,
    pieces: readParts(given.content, title),
    finishReason: typeof given.finishReason === "string" ? given.finishReason : null,
    finishMessage: typeof given.finishMessage === "string" ? given.finishMessage : null,
    logprobs: logprobsOf(given.logprobsResult),
    extras,
  };
}

function readParts(content: unknown, title: string): Piece[] {
  if (content === undefined || content === null) return [];
  if (!isRecord(content)) throw broken(title, "has content that is not an object");
  const parts = content.parts ?? [];
  if (!Array.isArray(parts) || !parts.every(isRecord)) throw broken(title, "has content without parts");
  const pieces: Piece[] = [];
  for (const part of parts) readPart(part, title, pieces);
  return pieces;
}

function readPart(part: Fields, title: string, pieces: Piece[]): void {
  const signature = typeof part.thoughtSignature === "string" ? part.thoughtSignature : null;
  if (isRecord(part.functionCall)) {
    pieces.push(readCall(part.functionCall, signature, title));
    return;
  }
  if (isRecord(part.inlineData)) {
    const { mimeType, data } = part.inlineData;
    if (typeof mimeType !== "string" || typeof data !== "string") throw broken(title, "has media without data");
    if (part.thought !== true) pieces.push({ kind: "media", data: { mimeType, data }, signature });
    return;
  }
  if (Object.keys(part).some((name) => !OF_TEXT.has(name))) {
    pieces.push({ kind: "own", part });
    return;
  }
  if (part.text !== undefined && part.text !== null) {
    if (typeof part.text !== "string") throw broken(title, "has a text that is none");
    if (part.text !== "") pieces.push({ kind: part.thought === true ? "thought" : "text", text: part.text });
  }
  if (signature !== null && signature !== "") pieces.push({ kind: "signature", signature });
}

const OF_TEXT: ReadonlySet<string> = new Set(["text", "thought", "thoughtSignature"]);

function readCall(call: Fields, signature: string | null, title: string): Piece {
  const { id, name, args } = call;
  if (typeof name !== "string" || name === "") throw broken(title, "has a function call without a name");
  if (args !== undefined && args !== null && !isRecord(args))
    throw broken(title, "has a function call without arguments");
  return {
    kind: "call",
    id: typeof id === "string" && id !== "" ? id : null,
    name,
    args: JSON.stringify(args ?? {}),
    signature,
  };
}

export const broken = (title: string, fault: string): GatewayError =>
  new GatewayError("upstream", `${title}'s answer ${fault}.`);

/** For people; the names are a closed list of Google's, but an unknown one must not carry anything else along. */
const refusedPrompt = (title: string, reason: string): GatewayError =>
  new GatewayError("content_policy", `${title} refused the prompt (${reason.replace(/[^A-Z_]/g, "").slice(0, 60)}).`);
