import type { ContentPart, Message, ToolCall } from "../../../contract/chat.ts";
import { isRecord, textOf } from "../../../lib/json.ts";
import { shortName } from "../../../lib/short-name.ts";
import { GOOGLE_PART } from "../../../providers/gemini/own-form.ts";
import { signatureField, textSignatureField } from "../../../providers/gemini/signature.ts";
import type { Fields } from "../../call/gateway.ts";
import { CallIds } from "./call-ids.ts";
import { chatPart } from "./chat-part.ts";
import { listOf, normalizeNames, refused, unknownName } from "./field-names.ts";
import { readSealed } from "./thought-signature.ts";

/** `contents` of Google's form as the messages of a chat. */
export function chatTurns(contents: unknown): Message[] {
  const ids = new CallIds();
  return listOf(contents).flatMap((content, at) => {
    const place = `contents[${at}]`;
    // A text alone stands for a turn of the user's.
    if (typeof content === "string") return [{ role: "user" as const, content }];
    const { role = "user", parts, ...more } = normalizeNames(content, place);
    const [unknown] = Object.keys(more);
    if (unknown !== undefined) throw unknownName(place, unknown);
    const given = listOf(parts).map((part, n) => partOf(part, `${place}.parts[${n}]`));
    if (role === "model") return modelTurn(given, ids);
    if (role === "user" || role === "function" || role === "tool") return userTurn(given, ids);
    throw refused(`${place}.role`, "it is `user` or `model`.");
  });
}

/** The parts of an instruction, which is a text, a turn or a list of parts. */
export function instructionParts(given: unknown): ContentPart[] {
  if (given === undefined || given === null) return [];
  const parts = isRecord(given) && given.parts !== undefined ? given.parts : given;
  return listOf(parts)
    .map((part, at) => (typeof part === "string" ? { type: "text", text: part } : saidIn(part, at)))
    .filter(({ text }) => text !== "");
}

const saidIn = (part: unknown, at: number): ContentPart => {
  const place = `systemInstruction.parts[${at}]`;
  return chatPart(normalizeNames(part, place), place);
};

interface Part {
  readonly place: string;
  readonly fields: Fields;
}

const partOf = (part: unknown, place: string): Part => ({
  place,
  fields: typeof part === "string" ? { text: part } : normalizeNames(part, place),
});

/** The results of functions follow their calls at once; what is said beside them comes after. */
function userTurn(parts: readonly Part[], ids: CallIds): Message[] {
  const results: Message[] = [];
  const said: ContentPart[] = [];
  for (const { fields, place } of parts) {
    if (fields.functionResponse !== undefined) results.push(resultOf(fields.functionResponse, ids, place));
    else said.push(chatPart(fields, place));
  }
  const told = said.filter((part) => part.type !== "text" || part.text !== "");
  if (results.length > 0 && told.length === 0) return results;
  return [...results, { role: "user", content: simplest(told) }];
}

export const simplest = (parts: readonly ContentPart[]): string | readonly ContentPart[] => {
  const [only] = parts;
  if (!only) return "";
  return parts.length === 1 && only.type === "text" ? (only.text ?? "") : parts;
};

function resultOf(given: unknown, ids: CallIds, partPlace: string): Message {
  const place = `${partPlace}.functionResponse`;
  const { id, name, response, parts, ...more } = normalizeNames(given, place);
  const [unknown] = Object.keys(more);
  if (unknown !== undefined) throw refused(place, `\`${shortName(unknown)}\` is not served.`);
  const called = textOf(name) ?? "";
  if (called === "") throw refused(`${place}.name`, "the name of the function is needed.");
  const shown = listOf(parts).map((part, at) => chatPart(normalizeNames(part, place), `${place}.parts[${at}]`));
  const words = JSON.stringify(response ?? {});
  const call = ids.answered(textOf(id) ?? null, called);
  return {
    role: "tool",
    tool_call_id: call.id,
    // The call says it, where there is one.
    ...(!call.isKnown && { name: called }),
    content: shown.length === 0 ? words : [{ type: "text", text: words }, ...shown],
  };
}

interface Draft {
  readonly said: ContentPart[];
  readonly images: Fields[];
  readonly calls: ToolCall[];
  readonly blocks: Fields[];
  readonly items: Fields[];
  reasoning: string;
  /** Google's own seals of what was said, and of thoughts. */
  readonly seals: string[];
  readonly thoughtSeals: string[];
}

function modelTurn(parts: readonly Part[], ids: CallIds): Message[] {
  const lists = { said: [], images: [], calls: [], blocks: [], items: [], seals: [], thoughtSeals: [] };
  const draft: Draft = { ...lists, reasoning: "" };
  for (const { fields, place } of parts) addPart(draft, fields, ids, place);
  return finished(draft);
}

function addPart(draft: Draft, { thought, thoughtSignature, ...part }: Fields, ids: CallIds, place: string): void {
  const seal = openSeal(draft, textOf(thoughtSignature) ?? "");
  if (part.functionCall !== undefined) {
    draft.calls.push(callOf(part.functionCall, seal, ids, place));
    return;
  }
  if (thought === true) {
    draft.reasoning += textOf(part.text) ?? "";
    if (seal !== null) draft.thoughtSeals.push(seal);
    return;
  }
  const isEmpty = Object.keys(part).length === 0;
  const sealedPart = seal === null ? part : { ...part, thoughtSignature: seal };
  const said = isEmpty && thoughtSignature !== undefined ? TEXTLESS : chatPart(sealedPart, place);
  const own = seal === null ? {} : { provider_specific_fields: signatureField(seal) };
  if (said.type === "image_url") {
    draft.images.push({ ...said, index: draft.images.length, ...own });
    return;
  }
  // A part of Google's own keeps its seal where it is.
  if (seal !== null && said.type !== GOOGLE_PART) draft.seals.push(seal);
  if (said.type !== "text" || said.text !== "") draft.said.push(said);
}

const TEXTLESS: ContentPart = { type: "text", text: "" };

/** What others have sealed comes back to them; Google's own seal is the caller's to place. */
function openSeal(draft: Draft, signature: string): string | null {
  const sealed = signature === "" ? null : readSealed(signature);
  for (const block of sealed?.blocks ?? []) draft.blocks.push(block);
  for (const item of sealed?.items ?? []) draft.items.push(item);
  return signature === "" || sealed ? null : signature;
}

function callOf(given: unknown, seal: string | null, ids: CallIds, partPlace: string): ToolCall {
  const place = `${partPlace}.functionCall`;
  const { id, name, args } = normalizeNames(given, place);
  const called = textOf(name) ?? "";
  if (called === "") throw refused(`${place}.name`, "the name of the function is needed.");
  return {
    id: ids.called(textOf(id) ?? null, called),
    type: "function",
    function: { name: called, arguments: JSON.stringify(args ?? {}) },
    ...(seal !== null && { provider_specific_fields: signatureField(seal) }),
  };
}

function finished({ said, images, calls, blocks, items, reasoning, ...sealed }: Draft): Message[] {
  if (said.length === 0 && images.length === 0 && calls.length === 0) return [];
  const isPlain = said.every(({ type }) => type === "text");
  const text = isPlain ? said.map((part) => part.text).join("") : "";
  // The last thought's comes first.
  const seals = [...sealed.thoughtSeals.reverse(), ...sealed.seals];
  const own = {
    ...(items.length > 0 && { reasoning_items: items }),
    ...(seals.length > 0 && textSignatureField(seals)),
  };
  return [
    {
      role: "assistant",
      content: isPlain ? (text === "" ? null : text) : said,
      // Signed thoughts tell the same.
      ...(reasoning !== "" && blocks.length === 0 && { reasoning_content: reasoning }),
      ...(blocks.length > 0 && { thinking_blocks: blocks }),
      ...(calls.length > 0 && { tool_calls: calls }),
      ...(images.length > 0 && { images }),
      ...(Object.keys(own).length > 0 && { provider_specific_fields: own }),
    },
  ];
}
