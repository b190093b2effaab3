import type { Message } from "../../contract/chat.ts";
import { isRecord } from "../../lib/json.ts";
import { type Block, cacheBlocks } from "./blocks.ts";
import { DocumentNames } from "./document-names.ts";
import { contentBlocks, reasoningBlocks } from "./parts.ts";
import { refusedMessage, TITLE } from "./title.ts";
import { ToolTurns } from "./tool-turns.ts";

export interface Turn {
  readonly role: "user" | "assistant";
  readonly content: Block[];
}

export interface Conversation {
  readonly system: readonly Block[];
  readonly messages: readonly Turn[];
  readonly hasToolTurns: boolean;
}

/** Bedrock wants a user's turn first; system messages alone, or an assistant's greeting, get this one before them. */
const OPENING: Block = { text: "Begin." };

/** Stands for a user's turn without a word: left out, it would have the model continue the answer before it. */
const NO_WORDS: Block = { text: "." };

/** System messages go to the front, the others become turns of user and assistant in alternation. */
export function encodeConversation(messages: readonly Message[]): Conversation {
  const names = new DocumentNames();
  const tools = new ToolTurns();
  const system: Block[] = [];
  const turns: Turn[] = [];
  for (const message of messages) {
    if (!isRecord(message)) throw refusedMessage("A message has to be an object.");
    switch (message.role) {
      case "system":
      case "developer":
        for (const block of systemBlocks(message)) system.push(block);
        break;
      case "user":
        append(turns, "user", contentBlocks(message, names));
        break;
      case "assistant":
        append(turns, "assistant", assistantBlocks(message, tools, names));
        break;
      case "tool":
      case "function":
        append(turns, "user", tools.result(message, names));
        break;
      default:
        throw refusedMessage(`${TITLE} does not know the role ${JSON.stringify(message.role ?? null)}.`);
    }
  }
  if (turns[0]?.role !== "user") turns.unshift({ role: "user", content: [OPENING] });
  return { system, messages: turns.map(finishTurn), hasToolTurns: tools.hasAny };
}

function systemBlocks(message: Message): Block[] {
  const blocks = contentBlocks(message, new DocumentNames());
  if (blocks.some((block) => !("text" in block) && !("cachePoint" in block))) {
    throw refusedMessage(`${TITLE} takes only text in system messages.`);
  }
  return blocks;
}

function assistantBlocks(message: Message, tools: ToolTurns, names: DocumentNames): Block[] {
  const said = contentBlocks({ ...message, cache_control: undefined }, names);
  if (said.some((block) => !("text" in block) && !("cachePoint" in block))) {
    throw refusedMessage(`${TITLE} takes only text and tool calls in assistant messages.`);
  }
  const blocks = [...said, ...tools.calls(message)];
  return blocks.length === 0 ? [] : [...reasoningBlocks(message), ...blocks, ...cacheBlocks(message)];
}

function append(turns: Turn[], role: Turn["role"], blocks: readonly Block[]): void {
  if (role === "assistant" && blocks.length === 0) return;
  const last = turns.at(-1);
  // One by one: there may be more of them than a call takes arguments.
  if (last?.role === role) for (const block of blocks) last.content.push(block);
  else turns.push({ role, content: [...blocks] });
}

function finishTurn(turn: Turn, index: number, turns: readonly Turn[]): Turn {
  if (turn.role === "user") return turn.content.length === 0 ? { ...turn, content: [NO_WORDS] } : withText(turn);
  return index === turns.length - 1 ? withoutTrailingSpace(turn) : turn;
}

/** Bedrock refuses a document in a turn without any text. Results of tools have to stand before both. */
function withText(turn: Turn): Turn {
  const hasDocument = turn.content.some((block) => "document" in block);
  if (!hasDocument || turn.content.some((block) => "text" in block)) return turn;
  const said = turn.content.findIndex((block) => !("toolResult" in block) && !("cachePoint" in block));
  return { ...turn, content: turn.content.toSpliced(said, 0, { text: "(see the attached document)" }) };
}

/** An answer that the model shall continue may not end in white space. */
function withoutTrailingSpace(turn: Turn): Turn {
  const last = turn.content.at(-1);
  if (typeof last?.text !== "string") return turn;
  return { ...turn, content: [...turn.content.slice(0, -1), { text: last.text.trimEnd() }] };
}
