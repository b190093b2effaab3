import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { Spool } from "./spool.ts";

async function* pieces(total: number, size: number): AsyncGenerator<Uint8Array> {
  for (let sent = 0; sent < total; sent += size) yield new Uint8Array(Math.min(size, total - sent)).fill(sent % 251);
}

const concat = async (source: AsyncIterable<Uint8Array>): Promise<Buffer> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of source) chunks.push(chunk);
  return Buffer.concat(chunks);
};

test.each([0, 1, 1_000, 1_048_576, 1_048_577, 5_000_000])(
  "%i bytes come back as they were, each time",
  async (total) => {
    const spool = new Spool();
    await spool.fill(pieces(total, 65_537));
    for (const _ of [1, 2]) {
      const back = await concat(spool.read() as unknown as AsyncIterable<Uint8Array>);
      expect(back.equals(await concat(pieces(total, 65_537)))).toBe(true);
    }
    spool.discard();
  },
);

test("a large file leaves no name behind, even while it is there", async () => {
  const spool = new Spool();
  await spool.fill(pieces(3_000_000, 65_536));
  expect(readdirSync(tmpdir()).filter((name) => /^turnpike-[0-9a-f]{8}-/.test(name))).toEqual([]);
  spool.discard();
});
