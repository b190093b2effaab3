import type { Message } from "../../contract/chat.ts";
import { isRecord } from "../../lib/json.ts";
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
  const said: Turn[] = [];
  let functionId = "function_0";
  for (const [position, message] of messages.entries()) {
    if (message.function_call) functionId = `function_${position}`;
    const blocks = marked(message, messageBlocks(message, functionId));
    if (message.role === "system" || message.role === "developer") system.push(...blocks);
    else said.push({ role: message.role === "assistant" ? "assistant" : "user", content: blocks });
  }
  // OpenAI answers a prompt of system messages alone; here they take the place of the user's.
  if (said.length === 0) return { system: [], turns: [{ role: "user", content: filled(system) }] };
  return { system, turns: alternating(said) };
}

function messageBlocks(message: Message, functionId: string): Block[] {
  switch (message.role) {
    case "assistant":
      return [...thinkingBlocks(message), ...contentBlocks(message.content), ...toolUseBlocks(message, functionId)];
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
  const isMarkable = !/thinking$/.test(blocks.at(-1)?.type ?? "");
  return isRecord(message.cache_control) && isMarkable ? markLast(blocks, message.cache_control) : blocks;
}

function alternating(said: readonly Turn[]): Turn[] {
  const turns: { role: Turn["role"]; content: Block[] }[] = [];
  for (const { role, content } of said) {
    const last = turns.at(-1);
    if (role === "assistant" && content.length === 0) continue;
    if (last?.role === role) last.content.push(...content);
    else turns.push({ role, content: [...content] });
  }
  if (turns[0]?.role !== "user") turns.unshift({ role: "user", content: [] });
  return turns.map(({ role, content }, position) => {
    if (role === "user") return { role, content: filled(resultsFirst(content)) };
    return { role, content: position === turns.length - 1 ? withoutTrailingSpace(content) : content };
  });
}

const filled = (blocks: readonly Block[]): readonly Block[] => (blocks.length === 0 ? [NO_WORDS] : blocks);

/** Results of tools have to open the turn that follows the calls. */
const resultsFirst = (blocks: readonly Block[]): Block[] => [
  ...blocks.filter(({ type }) => type === "tool_result"),
  ...blocks.filter(({ type }) => type !== "tool_result"),
];

/** An answer that is begun for the model may not end in white space: Anthropic refuses it. */
function withoutTrailingSpace(blocks: readonly Block[]): readonly Block[] {
  const last = blocks.at(-1);
  if (last?.type !== "text" || typeof last.text !== "string") return blocks;
  return [...blocks.slice(0, -1), { ...last, text: last.text.trimEnd() }];
}
