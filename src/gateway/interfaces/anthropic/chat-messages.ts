import type { ContentPart, Message, ToolCall } from "../../../contract/chat.ts";
import { isRecord, textOf } from "../../../lib/json.ts";
import { signatureField, textSignatureField } from "../../../providers/gemini/signature.ts";
import { isForeignSeal, readItems, readSeal } from "../../../providers/thought-seal.ts";
import type { Fields } from "../../call/gateway.ts";
import { blocksOf, isWord, partsOf } from "./chat-parts.ts";

/** Turns of Anthropic's form as the messages of a chat. */
export function chatMessages(system: unknown, turns: unknown): Message[] {
  const instructions = blocksOf(system).flatMap(partsOf);
  const messages: Message[] = instructions.length > 0 ? [{ role: "system", content: simplest(instructions) }] : [];
  for (const turn of Array.isArray(turns) ? turns.filter(isRecord) : []) {
    for (const message of turnMessages(turn.role, blocksOf(turn.content))) messages.push(message);
  }
  return messages;
}

function turnMessages(role: unknown, blocks: readonly Fields[]): Message[] {
  if (role === "assistant") return assistantMessages(blocks);
  return role === "system" ? [{ role, content: simplest(blocks.flatMap(partsOf)) }] : userMessages(blocks);
}

const simplest = (parts: readonly ContentPart[]): string | readonly ContentPart[] => {
  const [only] = parts;
  return parts.length === 1 && only && Object.keys(only).every((name) => name === "type" || name === "text")
    ? (only.text ?? "")
    : parts;
};

/** The results of tools follow their calls at once; what is shown in them and said beside them comes after. */
function userMessages(blocks: readonly Fields[]): Message[] {
  const results: Message[] = [];
  const shown: ContentPart[] = [];
  const said: ContentPart[] = [];
  for (const block of blocks) {
    if (block.type === "tool_result") results.push(toolMessage(block, shown));
    else for (const part of partsOf(block)) said.push(part);
  }
  const parts = [...shown, ...said];
  return parts.length > 0 ? [...results, { role: "user", content: simplest(parts) }] : results;
}

/** Most providers take only text as a result: pictures and files are shown by the user. */
function toolMessage(block: Fields, shown: ContentPart[]): Message {
  const id = textOf(block.tool_use_id) ?? "";
  const parts = blocksOf(block.content).flatMap(partsOf);
  const words = parts.flatMap(({ text }) => (isWord(text) ? [text] : [])).join("\n");
  const media = parts.filter(({ type }) => type !== "text");
  if (media.length > 0) shown.push({ type: "text", text: `Shown by the result of ${id}:` });
  for (const part of media) shown.push(part);
  const isTold = block.is_error !== true || /^\W*error/i.test(words);
  return {
    role: "tool",
    tool_call_id: id,
    content: isTold ? words : `Error: ${words}`,
    ...(isRecord(block.cache_control) && { cache_control: block.cache_control }),
  };
}

/**
 * Thoughts that come after words begin a new message, so that the order is kept. Behind a call nothing does: results have to
 * follow the message with the calls.
 */
function assistantMessages(blocks: readonly Fields[]): Message[] {
  const drafts: Draft[] = [];
  for (const block of blocks) {
    const open = drafts.at(-1);
    const isNext = isThought(block) && !isForeignSeal(block.signature) && open?.text !== "" && open?.calls.length === 0;
    const draft = open && !isNext ? open : newDraft(drafts);
    add(draft, block);
  }
  return drafts.flatMap(finished);
}

interface Draft {
  text: string;
  reasoning: string;
  readonly thoughts: Fields[];
  readonly calls: ToolCall[];
  mark: Fields | null;
  /** What OpenAI has sealed. */
  readonly items: Fields[];
  /** Google's: of the call that follows, and of the text. */
  callSeal: string | null;
  textSeal: string | null;
}

function newDraft(drafts: Draft[]): Draft {
  const seals = { items: [], callSeal: null, textSeal: null };
  const draft = { text: "", reasoning: "", thoughts: [], calls: [], mark: null, ...seals };
  drafts.push(draft);
  return draft;
}

const isThought = ({ type }: Fields): boolean => type === "thinking" || type === "redacted_thinking";

/**
 * What Anthropic's own tools have said and found is of use to its models alone. Signed thoughts are for who checks the
 * signature: guardrails leave them as they are, so that as plain words anything could pass them. Of what Google or OpenAI has
 * sealed it takes back the seal alone.
 */
function add(draft: Draft, block: Fields): void {
  if (block.type === "thinking" && isForeignSeal(block.signature)) {
    const sealed = readSeal(block.signature);
    if (sealed) draft[sealed.of === "call" ? "callSeal" : "textSeal"] = sealed.seal;
    for (const item of readItems(block.signature)) draft.items.push(item);
    return;
  }
  const isSealed = block.type === "redacted_thinking" || isWord(block.signature);
  if (block.type === "text" && isWord(block.text)) draft.text += block.text;
  if (block.type === "thinking" && isWord(block.thinking) && !isSealed) draft.reasoning += block.thinking;
  if (isSealed) draft.thoughts.push(block);
  if (block.type === "tool_use") {
    const called = { name: textOf(block.name) ?? "", arguments: JSON.stringify(block.input ?? {}) };
    const { callSeal } = draft;
    const seal = callSeal === null ? {} : { provider_specific_fields: signatureField(callSeal) };
    draft.calls.push({ id: textOf(block.id) ?? "", type: "function", function: called, ...seal });
    draft.callSeal = null;
  }
  if (isRecord(block.cache_control)) draft.mark = block.cache_control;
}

function finished({ text, reasoning, thoughts, calls, mark, items, textSeal }: Draft): Message[] {
  if (text === "" && calls.length === 0) return [];
  const seals = {
    ...(items.length > 0 && { reasoning_items: items }),
    ...(textSeal !== null && textSignatureField([textSeal])),
  };
  return [
    {
      role: "assistant",
      content: text === "" ? null : text,
      ...(reasoning !== "" && { reasoning_content: reasoning }),
      ...(thoughts.length > 0 && { thinking_blocks: thoughts }),
      ...(calls.length > 0 && { tool_calls: calls }),
      ...(mark && { cache_control: mark }),
      ...(Object.keys(seals).length > 0 && { provider_specific_fields: seals }),
    },
  ];
}
