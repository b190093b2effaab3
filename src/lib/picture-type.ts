import { peek } from "./peek-stream.ts";

export type PictureType = "image/png" | "image/jpeg" | "image/webp";

/** How many bytes tell what a picture is. */
const TELLING_BYTES = 12;

/** What a picture is by its first bytes, whatever it is called; null for anything else. */
export async function loadPictureType(picture: ReadableStream<Uint8Array>): Promise<PictureType | null> {
  const text = (await peek(picture, TELLING_BYTES)).toString("latin1");
  if (text.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (text.startsWith("\xff\xd8\xff")) return "image/jpeg";
  return text.startsWith("RIFF") && text.slice(8, 12) === "WEBP" ? "image/webp" : null;
}
