import { isRecord } from "../../lib/json.ts";
import type { Fields } from "../call/gateway.ts";

/** What a request asks a model to read. */
export interface PromptTexts {
  readonly texts: readonly string[];
  /** Tokens that the format of a conversation adds, and about the tokens of its media. */
  readonly extraTokens: number;
  readonly media: Media;
}

/** Content whose tokens depend on the model, or cannot be known. */
export interface Media {
  /** About the tokens of all of it; a part of `extraTokens`. */
  readonly aboutTokens: number;
  /** Images in the request itself. */
  readonly images: number;
  /** Bytes of files and audio in the request itself, and of fields that are seldom part of a prompt. */
  readonly otherBytes: number;
  /** Files, videos and images at another address: only the provider sees them. */
  readonly remote: number;
}

export const NO_MEDIA: Media = { aboutTokens: 0, images: 0, otherBytes: 0, remote: 0 };

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

/** The fields that a model reads as text, in any number: definitions as their JSON. */
const DEFINITIONS = ["tools", "functions", "response_format", "prediction"] as const;
const COUNTED: ReadonlySet<string> = new Set(["prompt", "system", "messages", "contents", ...DEFINITIONS]);
const COUNTED_OF_MESSAGE: ReadonlySet<string> = new Set([
  "role",
  "name",
  "content",
  "parts",
  "tool_calls",
  "function_call",
]);

/** The texts of a request as OpenAI's models see them. Tools, functions and schemas are counted as their JSON. */
export function promptTexts(request: CountedPrompt): PromptTexts {
  const collector = new Collector();
  if (typeof request.prompt === "string") collector.texts.push(request.prompt);
  if (request.system !== undefined && request.system !== null) collector.addMessage({ content: request.system });
  if (request.messages) for (const message of request.messages) collector.addMessage(message);
  if (request.contents) for (const content of request.contents) collector.addMessage(content);
  for (const name of DEFINITIONS) collector.addDefinition((request as Fields)[name]);
  collector.addOthers(request as Fields, COUNTED);
  // Nothing else has counted so far: a message has tokens of its own.
  if (collector.extraTokens > 0) collector.extraTokens += PER_ANSWER;
  collector.extraTokens += collector.media.aboutTokens;
  return collector;
}

class Collector implements PromptTexts {
  readonly texts: string[] = [];
  extraTokens = 0;
  readonly media = { aboutTokens: 0, images: 0, otherBytes: 0, remote: 0 };

  addMessage(turn: object): void {
    const message = turn as Fields;
    this.extraTokens += PER_MESSAGE;
    if (typeof message.role === "string") this.texts.push(message.role);
    if (typeof message.name === "string") {
      this.texts.push(message.name);
      this.extraTokens += PER_NAME;
    }
    this.addContent(message.content ?? message.parts);
    if (Array.isArray(message.tool_calls)) for (const call of message.tool_calls) this.addToolCall(call);
    this.addFunction(message.function_call);
    this.addOthers(message, COUNTED_OF_MESSAGE);
  }

  /** Tools, in a list, or a schema. */
  addDefinition(definition: unknown): void {
    if (Array.isArray(definition)) for (const one of definition) this.texts.push(JSON.stringify(one?.function ?? one));
    else if (isRecord(definition) && Object.keys(definition).length > 1) this.texts.push(JSON.stringify(definition));
  }

  /** Fields that hold more than a number or a word may be read by a model. */
  addOthers(fields: Fields, counted: ReadonlySet<string>): void {
    for (const name in fields) {
      const value = fields[name];
      if (value === null || counted.has(name)) continue;
      if (typeof value === "object") this.media.otherBytes += Buffer.byteLength(JSON.stringify(value));
      else if (typeof value === "string") this.media.otherBytes += Buffer.byteLength(value);
    }
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
    else if (part.image_url !== undefined || part.type === "image") this.addImage(part);
    else if (part.content !== undefined) this.addContent(part.content);
    else if (part.input !== undefined || part.functionCall !== undefined) this.texts.push(JSON.stringify(part));
    else this.addAttached(part);
  }

  private addImage({ image_url: image, source }: Fields): void {
    this.media.aboutTokens += isRecord(image) && image.detail === "low" ? PICTURE_LOW : PICTURE_HIGH;
    const data = isRecord(image) ? image.url : (image ?? (isRecord(source) ? source.data : null));
    const isInline = source === undefined ? typeof data === "string" && data.startsWith("data:") : data !== undefined;
    if (isInline) this.media.images++;
    else this.media.remote++;
  }

  /** Documents of Anthropic's form may be words or parts. */
  private addAttached(part: Fields): void {
    const { type, data, content } = isRecord(part.source) ? part.source : ({} as Fields);
    if (type === "text" && typeof data === "string") this.texts.push(data);
    else if (type === "content") this.addContent(content);
    else this.addFile(part);
  }

  private addFile(part: Fields): void {
    const { file, input_audio: audio, source, video_url: video } = part;
    const attached = [file, audio, source, video].find(isRecord);
    if (attached === undefined) {
      this.addOthers(part, NO_FIELDS);
      return;
    }
    const data = attached.file_data ?? attached.data ?? inlineData(attached.url);
    if (typeof data !== "string") {
      this.media.aboutTokens += UNSEEN;
      this.media.remote++;
      return;
    }
    const isText = /^(data:)?text\//.test(String(attached.media_type ?? data.slice(0, 10)));
    const bytesPerToken = attached === audio ? SOUND_BYTES : isText ? TEXT_BYTES : DOCUMENT_BYTES;
    const bytes = (data.length * 3) / 4;
    this.media.aboutTokens += Math.ceil(bytes / bytesPerToken);
    this.media.otherBytes += Math.ceil(bytes);
  }

  private addToolCall(call: unknown): void {
    if (!isRecord(call)) return;
    if (isRecord(call.function)) this.addFunction(call.function);
    else this.media.otherBytes += Buffer.byteLength(JSON.stringify(call));
  }

  private addFunction(called: unknown): void {
    if (!isRecord(called)) return;
    if (typeof called.name === "string") this.texts.push(called.name);
    if (typeof called.arguments === "string") this.texts.push(called.arguments);
  }
}

const NO_FIELDS: ReadonlySet<string> = new Set();

const inlineData = (url: unknown): unknown => (typeof url === "string" && url.startsWith("data:") ? url : null);
