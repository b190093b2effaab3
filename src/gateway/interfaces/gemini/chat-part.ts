import type { ContentPart } from "../../../contract/chat.ts";
import { textOf } from "../../../lib/json.ts";
import { GOOGLE_PART } from "../../../providers/gemini/own-form.ts";
import type { Fields } from "../../call/gateway.ts";
import { normalizeNames, refused } from "./field-names.ts";

/** A part that says something or shows it, as a part of a chat's message. Calls, results and thoughts are none of these. */
export function chatPart(part: Fields, place: string): ContentPart {
  const { text, inlineData, fileData, thought: _, thoughtSignature: __, ...more } = part;
  if (Object.keys(more).length > 0) return ownPart(part);
  if (typeof text === "string") return { type: "text", text };
  if (text !== undefined) throw refused(`${place}.text`, "a text is wanted here.");
  if (inlineData !== undefined) return inlinePart(normalizeNames(inlineData, `${place}.inlineData`), place);
  if (fileData !== undefined) return filePart(normalizeNames(fileData, `${place}.fileData`), part, place);
  throw refused(place, "a part has nothing in it.");
}

/** What only Google's models understand goes to them as it is, and to nobody else. */
const ownPart = (part: Fields): ContentPart => ({ type: GOOGLE_PART, [GOOGLE_PART]: part });

function inlinePart({ mimeType, data, displayName }: Fields, place: string): ContentPart {
  const type = textOf(mimeType) ?? "";
  if (type === "" || typeof data !== "string") throw refused(`${place}.inlineData`, "mimeType and data are needed.");
  const url = `data:${type};base64,${standardBase64(data)}`;
  const [kind, rest = ""] = type.split("/");
  if (kind === "image") return { type: "image_url", image_url: { url } };
  if (kind === "video") return { type: "video_url", video_url: { url } };
  if (kind === "audio") {
    return { type: "input_audio", input_audio: { data: standardBase64(data), format: SOUNDS.get(rest) ?? rest } };
  }
  return {
    type: "file",
    file: { filename: textOf(displayName) ?? `document.${ENDINGS.get(type) ?? "txt"}`, file_data: url },
  };
}

/** Clients may write bytes in the letters of addresses, which most providers do not read. */
const standardBase64 = (data: string): string =>
  /[-_]/.test(data) ? data.replaceAll("-", "+").replaceAll("_", "/") : data;

/** Sounds whose usual type is not the name that chats have for them. */
const SOUNDS: ReadonlyMap<string, string> = new Map([
  ["mpeg", "mp3"],
  ["x-wav", "wav"],
  ["wave", "wav"],
]);
const ENDINGS: ReadonlyMap<string, string> = new Map([
  ["application/pdf", "pdf"],
  ["application/json", "json"],
  ["text/html", "html"],
  ["text/csv", "csv"],
  ["text/markdown", "md"],
]);

/** A picture on the web is everybody's; what lies at Google, and what is no picture, only its own models fetch. */
function filePart({ fileUri, mimeType }: Fields, part: Fields, place: string): ContentPart {
  if (typeof fileUri !== "string" || fileUri === "") throw refused(`${place}.fileData`, "fileUri is needed.");
  const isPicture = typeof mimeType === "string" && mimeType.startsWith("image/");
  if (!isPicture || !/^https?:/.test(fileUri) || AT_GOOGLE.test(fileUri)) return ownPart(part);
  return { type: "image_url", image_url: { url: fileUri } };
}

const AT_GOOGLE = /^https:\/\/generativelanguage\.googleapis\.com\//;
