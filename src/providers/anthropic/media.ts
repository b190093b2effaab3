import type { ContentPart } from "../../contract/chat.ts";
import { GatewayError } from "../../contract/errors.ts";
import type { Block } from "./block.ts";
import { type DataUrl, dataUrlText, parseDataUrl } from "./data-url.ts";

const PICTURES: ReadonlySet<string> = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"]);
/** `image/jpg` is not a registered type, but clients send it. */
const ALIASES: ReadonlyMap<string, string> = new Map([["image/jpg", "image/jpeg"]]);

export function pictureBlock(part: ContentPart): Block {
  const given: unknown = part.image_url;
  const url = typeof given === "string" ? given : (part.image_url as { url?: unknown } | undefined)?.url;
  if (typeof url !== "string" || url === "") throw refused("An image_url part needs a url.");
  const data = parseDataUrl(url);
  if (data !== null) return inlinePicture(data);
  if (!/^https?:\/\//i.test(url)) throw refused("The url of an image_url part is neither http(s) nor a data URL.");
  return { type: "image", source: { type: "url", url } };
}

function inlinePicture({ mediaType, base64 }: DataUrl): Block {
  const media = ALIASES.get(mediaType) ?? mediaType;
  if (base64 === null || !PICTURES.has(media)) {
    throw refused(`Anthropic takes pictures as base64 of JPEG, PNG, GIF or WebP, not as ${media}.`);
  }
  return { type: "image", source: { type: "base64", media_type: media, data: base64 } };
}

/** A `file` part: a PDF or text becomes a document, a picture an image, a stored file a reference to it. */
export function fileBlock(part: ContentPart): Block {
  const { file_data: data, file_id: id, filename } = part.file ?? {};
  const title = typeof filename === "string" && filename !== "" ? { title: filename } : {};
  if (typeof data === "string" && data !== "") {
    const block = inlineFile(data);
    return block.type === "document" ? { ...block, ...title } : block;
  }
  if (typeof id === "string" && id !== "") return { type: "document", source: { type: "file", file_id: id }, ...title };
  throw refused("A file part needs file_data or file_id.");
}

function inlineFile(fileData: string): Block {
  // Bare base64 is what OpenAI's own examples send at times; of the types that can be meant only a PDF shows itself.
  const bare = fileData.startsWith("JVBERi0");
  const data = bare ? { mediaType: "application/pdf", base64: fileData, text: null } : parseDataUrl(fileData);
  if (data === null) throw refused("The file_data of a file part is not a data URL.");
  if (data.mediaType.startsWith("image/")) return inlinePicture(data);
  if (data.mediaType === "application/pdf" && data.base64 !== null) {
    return { type: "document", source: { type: "base64", media_type: "application/pdf", data: data.base64 } };
  }
  if (data.mediaType.startsWith("text/") || data.mediaType === "application/json") {
    return { type: "document", source: { type: "text", media_type: "text/plain", data: dataUrlText(data) } };
  }
  throw refused(`Anthropic takes files as PDF, text or pictures, not as ${data.mediaType}.`);
}

export const refused = (message: string): GatewayError =>
  new GatewayError("invalid_request", message, { param: "messages" });
