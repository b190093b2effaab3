import type { ChunkingStrategy } from "../../contract/assistants/parts.ts";
import { type Chunk, chunkText } from "../search/chunk.ts";
import { UnreadableFile } from "./unreadable-file.ts";

export type FileKind = "pdf" | "docx" | "html" | "text";

/** More than a person reads in a week; a document that grows past it is none. */
const CHARACTERS_MAX = 20_000_000;

/** Libraries are loaded when a file needs them. */
const READERS: Readonly<Record<FileKind, (bytes: Uint8Array) => string | Promise<string>>> = {
  async pdf(bytes) {
    const { extractText, getDocumentProxy } = await import("unpdf");
    const { text } = await extractText(await getDocumentProxy(bytes, { verbosity: 0 }), { mergePages: false });
    return text.join("\n\n");
  },
  async docx(bytes) {
    const { default: mammoth } = await import("mammoth");
    return (await mammoth.extractRawText({ buffer: Buffer.from(bytes) })).value;
  },
  async html(bytes) {
    const { convert } = await import("html-to-text");
    const skipped = ["img", "nav", "script", "style", "noscript"].map((selector) => ({ selector, format: "skip" }));
    const plain = ["h1", "h2", "h3", "h4"].map((selector) => ({ selector, options: { uppercase: false } }));
    const selectors = [...skipped, ...plain, { selector: "a", options: { ignoreHref: true } }];
    return convert(new TextDecoder().decode(bytes), {
      wordwrap: false,
      selectors,
      limits: { maxInputLength: 64 * 1024 * 1024 },
    });
  },
  text(bytes) {
    const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : "utf-8";
    try {
      return new TextDecoder(encoding, { fatal: true }).decode(bytes);
    } catch {
      throw new UnreadableFile("unsupported_file", "The file is neither text nor a PDF, DOCX or HTML document.");
    }
  },
};

/** The passages of a file of a known kind. Bounded in what comes out, not in what it takes: see `readFile`. */
export async function readBytes(kind: FileKind, bytes: Uint8Array, chunking: ChunkingStrategy): Promise<Chunk[]> {
  const text = await READERS[kind](bytes);
  if (text.length > CHARACTERS_MAX) throw new UnreadableFile("invalid_file", "The file has too much text.");
  const clean = text.replaceAll("\u0000", "").replace(/\r\n?/g, "\n").trim();
  const chunks = chunkText(clean, chunking);
  if (chunks === null) throw new UnreadableFile("invalid_file", "The file has too much text.");
  if (chunks.length === 0) throw new UnreadableFile("invalid_file", "There is no text in the file.");
  return chunks;
}
