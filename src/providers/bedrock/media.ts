import type { ContentPart } from "../../contract/chat.ts";
import { isRecord } from "../../lib/json.ts";
import { type DataUrl, parseDataUrl } from "../anthropic/data-url.ts";
import type { Block } from "./blocks.ts";
import type { DocumentNames } from "./document-names.ts";
import { refusedMessage, TITLE } from "./title.ts";

const PICTURES: ReadonlySet<string> = new Set(["png", "jpeg", "gif", "webp"]);
const VIDEOS: ReadonlySet<string> = new Set(["mkv", "mov", "mp4", "webm", "flv", "mpeg", "mpg", "wmv", "three_gp"]);
const SOUNDS: ReadonlySet<string> = new Set(
  "mp3 opus wav aac flac mp4 ogg mkv mka x-aac m4a mpeg mpga pcm webm".split(" "),
);
const DOCUMENTS: ReadonlySet<string> = new Set(["pdf", "csv", "doc", "docx", "xls", "xlsx", "html", "txt", "md"]);

/** Media types whose second half is not Bedrock's word for the format. */
const FORMATS: ReadonlyMap<string, string> = new Map([
  ["image/jpg", "jpeg"],
  ["video/quicktime", "mov"],
  ["video/x-matroska", "mkv"],
  ["video/x-flv", "flv"],
  ["video/x-ms-wmv", "wmv"],
  ["video/3gpp", "three_gp"],
  ["audio/mpeg", "mp3"],
  ["audio/x-wav", "wav"],
  ["text/plain", "txt"],
  ["text/markdown", "md"],
  ["application/json", "txt"],
  ["application/msword", "doc"],
  ["application/vnd.openxmlformats-officedocument.wordprocessingml.document", "docx"],
  ["application/vnd.ms-excel", "xls"],
  ["application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx"],
]);

export function pictureBlock(part: ContentPart): Block {
  const given: unknown = part.image_url;
  const url = isRecord(given) ? given.url : given;
  if (typeof url !== "string" || url === "") throw refusedMessage("An image_url part needs a url.");
  const data = parseDataUrl(url);
  if (data === null) throw refusedMessage(`${TITLE} takes pictures only inside the request, as data URLs.`);
  return inlineBlock("image", PICTURES, data);
}

export function soundBlock(part: ContentPart): Block {
  const { data, format }: Block = isRecord(part.input_audio) ? part.input_audio : {};
  if (typeof data !== "string" || data === "" || typeof format !== "string") {
    throw refusedMessage("An input_audio part needs data and format.");
  }
  if (!SOUNDS.has(format)) throw refusedMessage(`${TITLE} does not take sound as ${format}.`);
  return { audio: { format, source: { bytes: data } } };
}

/** A `file` part by its media type: a picture, a film, a sound or a document. */
export function fileBlock(part: ContentPart, names: DocumentNames): Block {
  const { file_data: given, filename }: Block = isRecord(part.file) ? part.file : {};
  if (typeof given !== "string" || given === "") {
    throw refusedMessage(`${TITLE} takes files only inside the request: a file part needs file_data.`);
  }
  const name = typeof filename === "string" ? filename : "";
  if (/^(?!data:)[a-z][a-z0-9+.-]*:/i.test(given)) {
    throw refusedMessage(`${TITLE} takes files only inside the request, not by their address.`);
  }
  // OpenAI's clients may leave the head of the data URL out; then the file's name tells what it is.
  const data = parseDataUrl(given) ?? { mediaType: "", base64: given, text: null };
  const kind = data.mediaType.split("/")[0];
  if (kind === "image") return inlineBlock("image", PICTURES, data);
  if (kind === "video") return inlineBlock("video", VIDEOS, data);
  if (kind === "audio") return inlineBlock("audio", SOUNDS, data);
  const format = documentFormat(data.mediaType, name);
  return { document: { format, name: names.unique(name), source: { bytes: bytesOf(data) } } };
}

function inlineBlock(kind: "image" | "video" | "audio", formats: ReadonlySet<string>, data: DataUrl): Block {
  const format = formatOf(data.mediaType);
  if (!formats.has(format)) throw refusedMessage(`${TITLE} does not take ${data.mediaType}.`);
  return { [kind]: { format, source: { bytes: bytesOf(data) } } };
}

const formatOf = (mediaType: string): string => FORMATS.get(mediaType) ?? mediaType.split("/")[1] ?? "";

/** Browsers send many files without a telling type; their extension tells it then. */
function documentFormat(mediaType: string, filename: string): string {
  const extension = /\.([a-z0-9]+)$/i.exec(filename)?.[1]?.toLowerCase() ?? "";
  const known = [formatOf(mediaType), extension === "htm" ? "html" : extension].find((format) => DOCUMENTS.has(format));
  if (known !== undefined) return known;
  if (mediaType.startsWith("text/")) return "txt";
  throw refusedMessage(`${TITLE} does not take files of type ${mediaType || extension || "unknown"}.`);
}

function bytesOf({ base64, text }: DataUrl): string {
  if (base64 !== null) return base64;
  try {
    return Buffer.from(decodeURIComponent(text ?? "")).toString("base64");
  } catch {
    throw refusedMessage("A data URL is not well-formed.");
  }
}
