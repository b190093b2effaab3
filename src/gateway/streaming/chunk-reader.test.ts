import { expect, test } from "bun:test";
import type { ChatChunk } from "../../contract/chat.ts";
import { ChunkSource, OwnChunkDecoder } from "./chunk-reader.ts";
import type { UpstreamReader } from "./upstream-reader.ts";

/** More than a stack holds as arguments of one call. */
const MANY = 1_000_000;

test("a whole answer may have more choices than a call can have arguments", async () => {
  const bytes = [new TextEncoder().encode('{"choices":[]}'), null];
  const upstream = { read: async () => bytes.shift() ?? null } as unknown as UpstreamReader;
  const decoder = new OwnChunkDecoder(1, { classify: () => ({ kind: "upstream", message: "" }) });
  const chunk = { id: "c", choices: [] } as unknown as ChatChunk;
  const source = new ChunkSource(upstream, "sse", decoder, () => Array<ChatChunk>(MANY).fill(chunk));
  expect((await source.next())?.length).toBe(MANY);
  expect(await source.next()).toBeNull();
});
