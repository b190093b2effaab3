import type { ContentPart } from "../../../contract/chat.ts";
import { GatewayError } from "../../../contract/errors.ts";
import { isRecord } from "../../../lib/json.ts";
import type { Fields } from "../../call/gateway.ts";

/** Content of Anthropic's form as blocks. */
export function blocksOf(content: unknown): Fields[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return Array.isArray(content) ? content.filter(isRecord) : [];
}

/** A block as parts of a chat's message; a text without a character is none. */
export function partsOf(block: Fields): ContentPart[] {
  const parts = plainParts(block);
  const last = parts.at(-1);
  if (last === undefined || !isRecord(block.cache_control)) return parts;
  return [...parts.slice(0, -1), { ...last, cache_control: block.cache_control }];
}

function plainParts(block: Fields): ContentPart[] {
  switch (block.type) {
    case "text":
      return text(block.text);
    case "image":
      return [picture(sourceOf(block))];
    case "document":
      return documentParts(block, sourceOf(block));
    case "search_result":
      return text([block.title, block.source, wordsOf(block.content)].filter(isWord).join("\n\n"));
    default:
      throw foreign(`content of type ${JSON.stringify(block.type ?? null)}`);
  }
}

function picture(source: Fields): ContentPart {
  const { type, url, media_type: media, data } = source;
  if (type === "url" && isWord(url)) return { type: "image_url", image_url: { url } };
  if (type === "base64" && isWord(media) && isWord(data)) {
    return { type: "image_url", image_url: { url: `data:${media};base64,${data}` } };
  }
  throw foreign(`pictures by ${JSON.stringify(type ?? null)}`);
}

function documentParts({ title }: Fields, source: Fields): ContentPart[] {
  const { type, media_type: media, data, content } = source;
  const heading = isWord(title) ? title : null;
  if (type === "text") return text([heading, data].filter(isWord).join("\n\n"));
  if (type === "content") return [...text(heading), ...blocksOf(content).flatMap(partsOf)];
  if (type === "base64" && isWord(media) && isWord(data)) {
    const file = { filename: heading ?? "document.pdf", file_data: `data:${media};base64,${data}` };
    return [{ type: "file", file }];
  }
  throw foreign(`documents by ${JSON.stringify(type ?? null)}`);
}

const sourceOf = ({ source }: Fields): Fields => (isRecord(source) ? source : {});

const text = (words: unknown): ContentPart[] => (isWord(words) ? [{ type: "text", text: words }] : []);

/** The text of content, without what else is in it. */
export const wordsOf = (content: unknown): string =>
  blocksOf(content)
    .map((block) => block.text)
    .filter(isWord)
    .join("\n");

export const isWord = (value: unknown): value is string => typeof value === "string" && value !== "";

const foreign = (what: string): GatewayError =>
  new GatewayError("invalid_request", `Only Anthropic's own models take ${what}.`, { param: "messages" });
