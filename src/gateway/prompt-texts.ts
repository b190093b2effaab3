import { isRecord } from "../lib/json.ts";
import type { Fields } from "./deps.ts";

/** Something that has tokens to count: texts, and tokens that no text stands for. */
export interface PromptTexts {
  readonly texts: readonly string[];
  /** Tokens that the form of a conversation adds. */
  readonly extraTokens: number;
}

/** OpenAI's way of counting: so many for each message, for a name, and for the beginning of the answer. */
const PER_MESSAGE = 3;
const PER_NAME = 1;
const PER_ANSWER = 3;
/** A picture in low detail, and one of a common size in high detail; its real size is not known here. */
const PICTURE_LOW = 85;
export const PICTURE_HIGH = 765;
/** Bytes of a document for a token, most of which are pictures and fonts; of a text; and of recorded sound. */
const DOCUMENT_BYTES = 40;
const TEXT_BYTES = 4;
const SOUND_BYTES = 1_600;
/** A page or so of something that is only named. */
const UNSEEN = 1_000;

export interface CountedPrompt {
  readonly prompt?: string | null;
  readonly messages?: readonly object[] | null;
  readonly contents?: readonly object[] | null;
  readonly tools?: readonly Fields[] | null;
  readonly system?: unknown;
}

/** The texts of a request as OpenAI's models see them. Tools are counted as the JSON that defines them. */
export function promptTexts(request: CountedPrompt): PromptTexts {
  const collector = new Collector();
  if (typeof request.prompt === "string") collector.texts.push(request.prompt);
  if (request.system !== undefined && request.system !== null) collector.addMessage({ content: request.system });
  if (request.messages) for (const message of request.messages) collector.addMessage(message);
  if (request.contents) for (const content of request.contents) collector.addMessage(content);
  if (request.tools) for (const tool of request.tools) collector.texts.push(JSON.stringify(tool.function ?? tool));
  // Nothing else has counted so far: a message has tokens of its own.
  if (collector.extraTokens > 0) collector.extraTokens += PER_ANSWER;
  return collector;
}

class Collector implements PromptTexts {
  readonly texts: string[] = [];
  extraTokens = 0;

  addMessage(turn: object): void {
    const message = turn as Fields;
    this.extraTokens += PER_MESSAGE;
    if (typeof message.role === "string") this.texts.push(message.role);
    if (typeof message.name === "string") {
      this.texts.push(message.name);
      this.extraTokens += PER_NAME;
    }
    this.addContent(message.content ?? message.parts);
    if (Array.isArray(message.tool_calls)) for (const call of message.tool_calls) this.addFunction(call?.function);
    this.addFunction(message.function_call);
  }

  private addContent(content: unknown): void {
    if (typeof content === "string") this.texts.push(content);
    else if (Array.isArray(content)) for (const part of content) this.addPart(part);
    else if (isRecord(content)) this.addPart(content);
  }

  private addPart(part: unknown): void {
    if (typeof part === "string") this.texts.push(part);
    if (!isRecord(part)) return;
    if (typeof part.text === "string") this.texts.push(part.text);
    else if (part.image_url !== undefined || part.type === "image") this.extraTokens += pictureTokens(part.image_url);
    else if (part.content !== undefined) this.addContent(part.content);
    else if (part.input !== undefined || part.functionCall !== undefined) this.texts.push(JSON.stringify(part));
    else this.addAttached(part);
  }

  /** Documents of Anthropic's form may be words or parts. */
  private addAttached(part: Fields): void {
    const { type, data, content } = isRecord(part.source) ? part.source : ({} as Fields);
    if (type === "text" && typeof data === "string") this.texts.push(data);
    else if (type === "content") this.addContent(content);
    else this.extraTokens += attachedTokens(part);
  }

  private addFunction(called: unknown): void {
    if (!isRecord(called)) return;
    if (typeof called.name === "string") this.texts.push(called.name);
    if (typeof called.arguments === "string") this.texts.push(called.arguments);
  }
}

const pictureTokens = (picture: unknown): number =>
  isRecord(picture) && picture.detail === "low" ? PICTURE_LOW : PICTURE_HIGH;

/** Of a file or a sound in a message: by its size, since nothing else of it can be seen at once. */
function attachedTokens({ file, input_audio: sound, source }: Fields): number {
  const attached = [file, sound, source].find(isRecord);
  if (!attached) return 0;
  const data = attached.file_data ?? attached.data;
  if (typeof data !== "string") return UNSEEN;
  const isText = /^(data:)?text\//.test(String(attached.media_type ?? data.slice(0, 10)));
  const bytesPerToken = attached === sound ? SOUND_BYTES : isText ? TEXT_BYTES : DOCUMENT_BYTES;
  return Math.ceil((data.length * 3) / 4 / bytesPerToken);
}
