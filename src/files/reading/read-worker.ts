import type { ChunkingStrategy } from "../../contract/assistants/parts.ts";
import { type FileKind, readBytes } from "./read-bytes.ts";
import { UnreadableFile } from "./unreadable-file.ts";

declare const self: Worker;

interface Document {
  readonly kind: FileKind;
  readonly bytes: Uint8Array;
  readonly chunking: ChunkingStrategy;
}

self.onmessage = async ({ data: { kind, bytes, chunking } }: MessageEvent<Document>) => {
  try {
    self.postMessage({ chunks: await readBytes(kind, bytes, chunking) });
  } catch (thrown) {
    if (thrown instanceof UnreadableFile) self.postMessage({ code: thrown.code, message: thrown.message });
    else self.postMessage({ fault: thrown instanceof Error ? thrown.message : "it is damaged" });
  }
};
