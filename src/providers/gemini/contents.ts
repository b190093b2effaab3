import type { ContentPart, Message } from "../../contract/chat.ts";
import { GatewayError } from "../../contract/errors.ts";
import { isThought, wordsIn } from "../openai-form/messages.ts";
import { type CallNames, encodeCalls } from "./calls.ts";
import { encodePart } from "./media.ts";
import { encodeResult, type Result } from "./results.ts";
import type { Rules } from "./rules.ts";
import { callSignature, textSignature } from "./signature.ts";
import type { Content, Part } from "./wire.ts";

interface Conversation {
  /** Texts of all system and developer messages: Google has one place for them, before the conversation. */
  readonly system: readonly Part[];
  readonly contents: readonly Content[];
}

type Turn =
  | { readonly kind: "user"; readonly parts: Part[] }
  | { readonly kind: "model"; readonly parts: Part[] }
  /** Results stand in a turn of their own: Google counts them against the calls of the turn before. */
  | { readonly kind: "results"; readonly results: Result[] };

/** Neighbours of the same role become one turn. */
export function encodeMessages(messages: readonly Message[], rules: Rules): Conversation {
  const system: Part[] = [];
  const turns: Turn[] = [];
  const calls: CallNames = new Map();
  for (const message of messages) {
    switch (message.role) {
      case "system":
      case "developer":
        for (const part of partsOf(message)) system.push(textOnly(part));
        break;
      case "user":
        add(turns, "user", partsOf(message));
        break;
      case "assistant":
        add(turns, "model", [...said(message), ...encodeCalls(message, calls, rules)]);
        break;
      default:
        addResult(turns, encodeResult(message, partsOf(message), calls, rules));
    }
  }
  // Instructions alone are no conversation; as the user's words they are.
  if (turns.length === 0) return { system: [], contents: [{ role: "user", parts: orBlank(system) }] };
  return { system, contents: turns.map(contentOf) };
}

function add(turns: Turn[], kind: "user" | "model", parts: Part[]): void {
  if (kind === "model" && parts.length === 0) return;
  const last = turns.at(-1);
  if (last?.kind === kind) for (const part of parts) last.parts.push(part);
  else turns.push({ kind, parts });
}

function addResult(turns: Turn[], result: Result): void {
  const last = turns.at(-1);
  if (last?.kind === "results") last.results.push(result);
  else turns.push({ kind: "results", results: [result] });
}

function contentOf(turn: Turn): Content {
  if (turn.kind === "model") return { role: "model", parts: turn.parts };
  if (turn.kind === "user") return { role: "user", parts: orBlank(turn.parts) };
  // Without ids it is the order that tells two results of the same function apart.
  const results = turn.results.toSorted((one, other) => one.order - other.order);
  return { role: "user", parts: [...results.map(({ part }) => part), ...results.flatMap(({ media }) => media)] };
}

/** A turn needs at least one part, and a text at least one character. */
const orBlank = (parts: readonly Part[]): readonly Part[] => (parts.length === 0 ? [{ text: " " }] : parts);

function partsOf(message: Message): Part[] {
  const content = wordsIn(message);
  if (typeof content === "string") return content === "" ? [] : [{ text: content }];
  const given: readonly ContentPart[] = content ?? [];
  const told = message.role === "assistant" ? given.filter((part) => !isThought(part)) : given;
  return told.map(encodePart).filter((part) => part !== null);
}

/** An assistant's words and pictures, with the seal of its reasoning on the last text. */
function said(message: Message): Part[] {
  const pictures = (Array.isArray(message.images) ? (message.images as readonly ContentPart[]) : [])
    .map(picture)
    .filter((part) => part !== null);
  const parts = partsOf(message);
  const signature = textSignature(message);
  const last = parts.findLastIndex((part) => part.text !== undefined);
  const sealed = parts.map((part, at) =>
    signature !== null && at === last ? { ...part, thoughtSignature: signature } : part,
  );
  return [...sealed, ...pictures];
}

function picture(image: ContentPart): Part | null {
  const part = encodePart({ ...image, type: "image_url" });
  const signature = callSignature(image);
  return part === null || signature === null ? part : { ...part, thoughtSignature: signature };
}

function textOnly(part: Part): Part {
  if (part.text !== undefined) return part;
  throw new GatewayError("invalid_request", "Gemini models take only text in a system message.", {
    param: "messages",
  });
}
