import type { Message } from "../../contract/chat.ts";
import { isRecord } from "../../lib/json.ts";
import { argumentsObject } from "../openai-form/call-arguments.ts";
import { type Block, cacheBlocks } from "./blocks.ts";
import type { DocumentNames } from "./document-names.ts";
import { contentBlocks } from "./parts.ts";
import { refusedMessage } from "./title.ts";

const ID = /^[a-zA-Z0-9_.:-]{1,64}$/;

/** The calls of a conversation and their results, under ids that Bedrock takes. */
export class ToolTurns {
  private readonly renamed = new Map<string, string>();
  /** Calls of the older interface have no id; a result belongs to the last call of its name. */
  private readonly unnamed = new Map<string, string>();
  private count = 0;

  get hasAny(): boolean {
    return this.count > 0;
  }

  calls(message: Message): Block[] {
    const calls: readonly unknown[] = Array.isArray(message.tool_calls) ? message.tool_calls : [];
    const blocks = calls.map((call) => this.call(call));
    const { function_call: older } = message;
    if (!isRecord(older) || typeof older.name !== "string") return blocks;
    const id = `function_call_${this.count}`;
    this.unnamed.set(older.name, id);
    return [...blocks, this.block(id, older.name, older.arguments)];
  }

  result(message: Message, names: DocumentNames): Block[] {
    this.count++;
    const content = contentBlocks({ ...message, cache_control: undefined }, names);
    const shown = content.filter((block) => !("cachePoint" in block));
    const result = {
      toolUseId: this.resultId(message),
      // A result needs content, and blank text is refused.
      content: shown.length > 0 ? shown : [{ text: "(no output)" }],
    };
    const points = [...content.filter((block) => "cachePoint" in block), ...cacheBlocks(message)].slice(0, 1);
    return [{ toolResult: result }, ...points];
  }

  private call(call: unknown): Block {
    const named = isRecord(call) && isRecord(call.function) ? call.function : null;
    if (!isRecord(call) || named === null || typeof named.name !== "string" || typeof call.id !== "string") {
      throw refusedMessage("A tool call needs an id and a function with a name.");
    }
    return this.block(this.idOf(call.id), named.name, named.arguments);
  }

  private block(toolUseId: string, name: string, text: unknown): Block {
    this.count++;
    return { toolUse: { toolUseId, name, input: argumentsObject(text) } };
  }

  private resultId({ role, name, tool_call_id: id }: Message): string {
    if (typeof id === "string" && id !== "") return this.idOf(id);
    const call = role === "function" && typeof name === "string" ? this.unnamed.get(name) : undefined;
    if (call === undefined) throw refusedMessage("A tool message needs the tool_call_id of the call that it answers.");
    return call;
  }

  /** Ids of other providers may be longer or have other characters; both ends of a pair are renamed alike. */
  private idOf(id: string): string {
    if (ID.test(id)) return id;
    const known = this.renamed.get(id) ?? `renamed_call_${this.renamed.size}`;
    this.renamed.set(id, known);
    return known;
  }
}
