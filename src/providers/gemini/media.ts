import type { ContentPart } from "../../contract/chat.ts";
import { GatewayError } from "../../contract/errors.ts";
import { isRecord, textOf } from "../../lib/json.ts";
import { mimeTypeOf } from "./mime-type.ts";
import { GOOGLE_PART } from "./own-form.ts";
import type { Part } from "./wire.ts";

const FILES = "https://generativelanguage.googleapis.com/v1beta/";

/** A content part in Google's form; null for a text without characters, which Google refuses. */
export function encodePart(part: ContentPart): Part | null {
  switch (part.type) {
    case "text":
    case "input_text":
    case "output_text":
      return text(part.text);
    case "refusal":
      return text(part.refusal);
    case "image_url":
      return addressed(part.image_url, "image_url");
    case "video_url":
      return addressed(part.video_url, "video_url");
    case "input_audio":
      return audio(part.input_audio);
    case "file":
      return file(part.file);
    case GOOGLE_PART:
      return isRecord(part[GOOGLE_PART]) ? (part[GOOGLE_PART] as Part) : null;
    default:
      throw refused(`Gemini models take no content part of type ${JSON.stringify(textOf(part.type))}.`);
  }
}

function text(value: unknown): Part | null {
  if (typeof value !== "string") throw refused("A text part has no text.");
  return value === "" ? null : { text: value };
}

function addressed(value: unknown, type: string): Part {
  const url = isRecord(value) ? value.url : value;
  if (typeof url !== "string" || url === "") throw refused(`A part of type ${type} has no url.`);
  return fromUrl(url, isRecord(value) ? value.format : undefined, url);
}

function audio(value: unknown): Part {
  if (!isRecord(value) || typeof value.data !== "string" || typeof value.format !== "string") {
    throw refused("A part of type input_audio needs data and format.");
  }
  if (value.data.startsWith("data:")) return fromUrl(value.data, undefined, "");
  return { inlineData: { mimeType: `audio/${value.format}`, data: value.data } };
}

/** `file_data` is a data: URL or bare base64; `file_id` the address of an uploaded file or of one in Cloud Storage. */
function file(value: unknown): Part {
  if (!isRecord(value)) throw refused("A part of type file has no file.");
  const name = typeof value.filename === "string" ? value.filename : "";
  if (typeof value.file_data === "string" && value.file_data !== "") {
    if (/^(data|gs|https?):/.test(value.file_data)) return fromUrl(value.file_data, value.format, name);
    const said = typeof value.format === "string" ? value.format : mimeTypeOf(name);
    return { inlineData: { mimeType: said ?? "application/pdf", data: value.file_data } };
  }
  if (typeof value.file_id !== "string" || value.file_id === "") throw refused("A file part has no file.");
  if (value.file_id.startsWith("files/")) return fromUrl(FILES + value.file_id, value.format, name);
  if (!/^(gs|https?):\/\//.test(value.file_id)) throw refused(`Google knows no file ${JSON.stringify(value.file_id)}.`);
  return fromUrl(value.file_id, value.format, name === "" ? value.file_id : name);
}

/**
 * Bytes inside the request, or the address of a file that Google fetches itself. `format` is the MIME type where the
 * caller says it; Google needs one for every file that it did not store itself.
 */
function fromUrl(url: string, format: unknown, name: string): Part {
  const said = typeof format === "string" && format !== "" ? format : null;
  if (url.startsWith("data:")) return { inlineData: fromDataUrl(url, said) };
  if (!/^(gs|https?):\/\//.test(url)) throw refused("A picture or file needs a data:, http(s): or gs: address.");
  const mimeType = said ?? mimeTypeOf(name);
  if (mimeType === null && url.startsWith("gs:")) {
    throw refused("The type of a gs:// file is not clear from its name: say its MIME type in `format`.");
  }
  return { fileData: { fileUri: url, ...(mimeType === null ? {} : { mimeType }) } };
}

/** `image/jpg` is not a registered type, but clients send it. */
const ALIASES: ReadonlyMap<string, string> = new Map([["image/jpg", "image/jpeg"]]);

function fromDataUrl(url: string, said: string | null): { mimeType: string; data: string } {
  const comma = url.indexOf(",");
  if (comma < 0) throw refused("A data: URL has no comma.");
  const [type = "", ...flags] = url.slice("data:".length, comma).split(";");
  const mimeType = said ?? ALIASES.get(type) ?? (type === "" ? "text/plain" : type);
  const data = url.slice(comma + 1);
  if (flags.includes("base64")) return { mimeType, data };
  try {
    return { mimeType, data: Buffer.from(decodeURIComponent(data)).toString("base64") };
  } catch {
    throw refused("A data: URL is not encoded well.");
  }
}

const refused = (message: string): GatewayError => new GatewayError("invalid_request", message, { param: "messages" });
