import type { FileKind } from "./read-file.ts";

declare const self: Worker;

/** Libraries are loaded when a file needs them. */
const READERS: Readonly<Record<FileKind, (bytes: Uint8Array) => Promise<string>>> = {
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
  text: async (bytes) => new TextDecoder().decode(bytes),
};

self.onmessage = async ({ data }: MessageEvent<{ kind: FileKind; bytes: Uint8Array }>) => {
  try {
    self.postMessage({ text: await READERS[data.kind](data.bytes) });
  } catch (thrown) {
    self.postMessage({ fault: thrown instanceof Error ? thrown.message : "it is damaged" });
  }
};
