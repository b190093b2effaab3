import { expect, test } from "bun:test";
import { closeSync, fstatSync, mkdtempSync, openSync, readdirSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Spool, SpoolFault } from "./spool.ts";

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

test.each([0, 1_000, 1_048_576, 5_000_000])("pieces of %i bytes are what stands there", async (total) => {
  const spool = new Spool();
  await spool.fill(pieces(total, 65_537));
  const whole = await concat(pieces(total, 65_537));
  for (const [start, bytes] of [
    [0, 10],
    [65_530, 20],
    [65_530, 140_000],
    [total - 5, 100],
    [total, 5],
    [total + 9, 5],
    [3, 0],
  ] as const) {
    if (start < 0) continue;
    expect((await spool.slice(start, bytes)).equals(whole.subarray(start, start + bytes))).toBe(true);
  }
  spool.discard();
  expect(await spool.slice(0, 10)).toHaveLength(0);
});

test("a large file leaves no name behind, even while it is there", async () => {
  const spool = new Spool();
  await spool.fill(pieces(3_000_000, 65_536));
  expect(readdirSync(tmpdir()).filter((name) => /^turnpike-[0-9a-f]{8}-/.test(name))).toEqual([]);
  spool.discard();
});

/** A file that is opened when another was closed: it gets the lowest number that is free, which may be that one's. */
function openOther(): { readonly file: number; end(): void } {
  const folder = mkdtempSync(join(tmpdir(), "other-"));
  const file = openSync(join(folder, "other"), "w+");
  return {
    file,
    end() {
      closeSync(file);
      rmSync(folder, { recursive: true });
    },
  };
}

test("what is discarded while it arrives writes into no other file, and ends", async () => {
  for (let turns = 0; turns < 20; turns++) {
    const spool = new Spool();
    let asked = 0;
    async function* arriving() {
      for (; asked < 1_000; asked++) {
        if (asked === 64) void later();
        yield new Uint8Array(16_384).fill(7);
      }
    }
    const opened = Promise.withResolvers<ReturnType<typeof openOther>>();
    const later = async () => {
      for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
      spool.discard();
      opened.resolve(openOther());
    };
    await spool.fill(arriving());
    const other = await opened.promise;
    // Long enough for what may still be on its way.
    await Bun.sleep(5);
    expect([turns, fstatSync(other.file).size]).toEqual([turns, 0]);
    expect(asked).toBeLessThan(1_000);
    other.end();
  }
});

test("what is discarded while it is read gives nothing of another file", async () => {
  const others = Buffer.alloc(1024 * 1024, 9);
  for (let round = 0; round < 50; round++) {
    const spool = new Spool();
    await spool.fill(pieces(3_000_000, 3_000_000));
    const reader = spool.read().getReader();
    const reading = reader.read();
    spool.discard();
    const other = openOther();
    writeSync(other.file, others);
    const { value } = await reading;
    expect(value?.includes(9) ?? false).toBe(false);
    expect((await reader.read()).done).toBe(true);
    other.end();
  }
});

test("a large file does not use the last part of the disk, and a small one needs none", async () => {
  const free = { bytes: 20 * 1024 * 1024 };
  const source = async function* (mebibytes: number) {
    for (let at = 0; at < mebibytes; at++) {
      yield new Uint8Array(1024 * 1024);
      free.bytes -= 1024 * 1024;
    }
  };
  const large = new Spool(() => free.bytes);
  await expect(large.fill(source(10))).rejects.toBeInstanceOf(SpoolFault);
  large.discard();
  const small = new Spool(() => 0);
  await small.fill(source(1));
  expect(small.sizeBytes).toBe(1024 * 1024);
});
