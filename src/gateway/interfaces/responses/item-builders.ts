import { itemId } from "../../../assistants/response-ids.ts";
import type { ChatDelta } from "../../../contract/chat.ts";
import type { ResponseItem } from "../../../contract/responses.ts";
import { newNamedId } from "../../../lib/ids.ts";
import { customInput } from "./custom-tools.ts";
import { callItem, messageItem, textPart } from "./output.ts";
import { sealedBlocks, summaryPart, thoughtItem } from "./reasoning.ts";
import type { ToolNames } from "./tool-names.ts";

/** Tells of something that has happened, under its name. */
type Tell = (type: string, fields: object) => void;

/** Where an item stands, and who is told of it. */
export interface Place {
  readonly responseId: string;
  readonly at: number;
  readonly tell: Tell;
}

/** Whether an item was said to its end. */
export type ItemStatus = "completed" | "incomplete";

/** An item of an answer while it is being said: it tells of itself, and in the end it is what it has become. */
export interface OpenItem {
  close(status: ItemStatus): ResponseItem;
}

/**
 * What a model thinks, as the summary that readers are shown. What its provider has signed may come behind everything else, so
 * it is open until the end.
 */
export class OpenThought implements OpenItem {
  private readonly id: string;
  private readonly texts: string[] = [];
  private text = "";
  private readonly blocks: Record<string, unknown>[] = [];

  constructor(private readonly place: Place) {
    this.id = itemId("rs", place.responseId, place.at);
    place.tell("response.output_item.added", { output_index: place.at, item: thoughtItem(this.id, [], []) });
  }

  add(delta: ChatDelta): void {
    const { reasoning_content: more } = delta;
    for (const block of sealedBlocks(delta)) this.blocks.push(block);
    if (!more) return;
    if (this.text === "") this.told("response.reasoning_summary_part.added", { part: summaryPart("") });
    this.text += more;
    this.told("response.reasoning_summary_text.delta", { delta: more });
  }

  /** It has begun to speak. */
  pause(): void {
    if (this.text === "") return;
    this.told("response.reasoning_summary_text.done", { text: this.text });
    this.told("response.reasoning_summary_part.done", { part: summaryPart(this.text) });
    this.texts.push(this.text);
    this.text = "";
  }

  close(status: ItemStatus): ResponseItem {
    this.pause();
    const item = thoughtItem(this.id, this.texts, this.blocks, status);
    this.place.tell("response.output_item.done", { output_index: this.place.at, item });
    return item;
  }

  private told(type: string, fields: object): void {
    const { tell, at } = this.place;
    tell(type, { item_id: this.id, output_index: at, summary_index: this.texts.length, ...fields });
  }
}

/** What a model says, or will not say. */
export class OpenWords implements OpenItem {
  private readonly id: string;
  private text = "";
  private refusal = "";
  private readonly annotations: unknown[] = [];
  private readonly logprobs: unknown[] = [];

  constructor(private readonly place: Place) {
    this.id = itemId("msg", place.responseId, place.at);
    place.tell("response.output_item.added", {
      output_index: place.at,
      item: messageItem(this.id, "in_progress", []),
    });
  }

  say(more: string, logprobs: readonly unknown[]): void {
    if (this.text === "") this.told(0, "response.content_part.added", { part: textPart("") });
    this.text += more;
    for (const one of logprobs) this.logprobs.push(one);
    this.told(0, "response.output_text.delta", { delta: more, logprobs });
  }

  annotate(annotations: readonly unknown[]): void {
    for (const one of annotations) this.annotations.push(one);
  }

  refuse(more: string): void {
    const at = this.text === "" ? 0 : 1;
    if (this.refusal === "") this.told(at, "response.content_part.added", { part: { type: "refusal", refusal: "" } });
    this.refusal += more;
    this.told(at, "response.refusal.delta", { delta: more });
  }

  close(status: ItemStatus): ResponseItem {
    const parts: object[] = [];
    if (this.text !== "") {
      const said = textPart(this.text, this.annotations, { content: this.logprobs });
      parts.push(said);
      this.told(0, "response.output_text.done", { text: this.text, logprobs: this.logprobs });
      this.told(0, "response.content_part.done", { part: said });
    }
    if (this.refusal !== "") {
      const refused = { type: "refusal", refusal: this.refusal };
      this.told(parts.length, "response.refusal.done", { refusal: this.refusal });
      this.told(parts.length, "response.content_part.done", { part: refused });
      parts.push(refused);
    }
    const item = messageItem(this.id, status, parts);
    this.place.tell("response.output_item.done", { output_index: this.place.at, item });
    return item;
  }

  private told(part: number, type: string, fields: object): void {
    this.place.tell(type, { item_id: this.id, output_index: this.place.at, content_index: part, ...fields });
  }
}

/** A tool that a model calls. The text of a custom tool is told when it is whole: until then it is JSON. */
export class OpenCall implements OpenItem {
  private readonly id: string;
  private readonly callId: string;
  private readonly name: string;
  private given = "";

  constructor(
    private readonly place: Place,
    private readonly names: ToolNames,
    { id, name }: { readonly id: string | undefined; readonly name: string },
  ) {
    this.name = name;
    const prefix = this.isCustom ? "ctc" : names.isSearch(name) ? "tsc" : "fc";
    this.id = itemId(prefix, place.responseId, place.at);
    this.callId = id || newNamedId("call_");
    place.tell("response.output_item.added", { output_index: place.at, item: this.item("in_progress") });
  }

  add(more: string): void {
    this.given += more;
    if (this.isFunction && more !== "") this.told("response.function_call_arguments.delta", { delta: more });
  }

  close(status: ItemStatus): ResponseItem {
    if (this.isCustom) {
      const input = customInput(this.given);
      this.told("response.custom_tool_call_input.delta", { delta: input });
      this.told("response.custom_tool_call_input.done", { input });
    } else
      this.told("response.function_call_arguments.done", {
        name: this.names.shown(this.name).name,
        arguments: this.given,
      });
    const item = this.item(status);
    this.place.tell("response.output_item.done", { output_index: this.place.at, item });
    return item;
  }

  private get isFunction(): boolean {
    return !this.isCustom && !this.names.isSearch(this.name);
  }

  private get isCustom(): boolean {
    return this.names.isCustom(this.name);
  }

  private item(status: string): ResponseItem {
    const { id, callId, name } = this;
    return callItem(this.names, { id, callId, name, arguments: this.given }, status);
  }

  private told(type: string, fields: object): void {
    this.place.tell(type, { item_id: this.id, output_index: this.place.at, ...fields });
  }
}
