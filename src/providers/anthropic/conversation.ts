import type { Message } from "../../contract/chat.ts";
import { isRecord } from "../../lib/json.ts";
import { wordsIn } from "../openai-form/messages.ts";
import type { Block, Turn } from "./block.ts";
import { contentBlocks, markLast, thinkingBlocks } from "./parts.ts";
import { toolResultBlock, toolUseBlocks } from "./tool-turns.ts";

export interface Conversation {
  readonly system: readonly Block[];
  readonly turns: readonly Turn[];
}

/** Stands where Anthropic demands words of the user and the caller has none. */
const NO_WORDS: Block = { type: "text", text: "." };

/** System messages go to the top, the others become turns: user and assistant in alternation, the user first. */
export function conversation(messages: readonly Message[]): Conversation {
  const system: Block[] = [];
  const turns: OpenTurn[] = [];
  let isSaid = false;
  let functionId = "function_0";
  for (let position = 0; position < messages.length; position++) {
    const message = messages[position] as Message;
    if (message.function_call) functionId = `function_${position}`;
    const blocks = marked(message, messageBlocks(message, functionId));
    if (message.role === "system" || message.role === "developer") for (const block of blocks) system.push(block);
    else {
      isSaid = true;
      addTurn(turns, message.role === "assistant" ? "assistant" : "user", blocks);
    }
  }
  // OpenAI answers a prompt of system messages alone; here they take the place of the user's.
  if (!isSaid) return { system: [], turns: [{ role: "user", content: filled(system) }] };
  settle(turns);
  return { system, turns };
}

/** A turn that is still being written. */
interface OpenTurn {
  readonly role: Turn["role"];
  content: Block[];
}

function messageBlocks(message: Message, functionId: string): Block[] {
  switch (message.role) {
    case "assistant":
      return [...thinkingBlocks(message), ...contentBlocks(wordsIn(message)), ...toolUseBlocks(message, functionId)];
    case "tool":
      return [toolResultBlock(message, message.tool_call_id)];
    case "function":
      return [toolResultBlock(message, functionId)];
    default:
      return contentBlocks(message.content);
  }
}

/** `cache_control` may stand on a whole message; thinking cannot be marked. */
function marked(message: Message, blocks: Block[]): Block[] {
  if (!isRecord(message.cache_control) || blocks.at(-1)?.type.endsWith("thinking")) return blocks;
  return markLast(blocks, message.cache_control);
}

/** Neighbours of the same role become one turn. */
function addTurn(turns: OpenTurn[], role: Turn["role"], blocks: Block[]): void {
  const last = turns.at(-1);
  if (role === "assistant" && blocks.length === 0) return;
  if (last?.role === role) for (const block of blocks) last.content.push(block);
  else turns.push({ role, content: blocks });
}

function settle(turns: OpenTurn[]): void {
  if (turns[0]?.role !== "user") turns.unshift({ role: "user", content: [] });
  for (const turn of turns) if (turn.role === "user") turn.content = filled(resultsFirst(turn.content));
  const last = turns.at(-1);
  if (last?.role === "assistant") last.content = withoutTrailingSpace(last.content);
}

const filled = (blocks: Block[]): Block[] => (blocks.length === 0 ? [NO_WORDS] : blocks);

/** Results of tools have to open the turn that follows the calls. */
function resultsFirst(blocks: Block[]): Block[] {
  if (!blocks.some(isResult)) return blocks;
  return [...blocks.filter(isResult), ...blocks.filter((block) => !isResult(block))];
}

const isResult = ({ type }: Block): boolean => type === "tool_result";

/** An answer that is begun for the model may not end in white space: Anthropic refuses it. */
function withoutTrailingSpace(blocks: Block[]): Block[] {
  const last = blocks.at(-1);
  if (last?.type !== "text" || typeof last.text !== "string") return blocks;
  return [...blocks.slice(0, -1), { ...last, text: last.text.trimEnd() }];
}
