import { describe, expect, test } from "bun:test";
import { deflateRawSync, deflateSync } from "node:zlib";
import { type Reading, readFile, UnreadableFile } from "./read-file.ts";

const MIB = 1024 * 1024;
const read = (name: string, content: string | Uint8Array<ArrayBuffer>, more: Partial<Reading> = {}) =>
  readFile(name, new Blob([content]).stream(), { chunking: { type: "auto" }, ...more }).catch(
    (thrown: unknown) => thrown,
  );
const expectUnreadable = (given: unknown, why: string) => {
  expect(given).toBeInstanceOf(UnreadableFile);
  expect(given).toMatchObject({ code: "invalid_file", message: expect.stringContaining(why) });
};

/** A PDF whose one page is drawn by this. */
function pdfDrawn(stream: Uint8Array, length: number): Uint8Array<ArrayBuffer> {
  const head = `%PDF-1.4
1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj
2 0 obj << /Type /Pages /Kids [3 0 R] /Count 1 >> endobj
3 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << >> >> endobj
4 0 obj << /Length ${length} /Filter /FlateDecode >>
stream
`;
  return new Uint8Array(
    Buffer.concat([
      Buffer.from(head),
      stream,
      Buffer.from("\nendstream endobj\ntrailer << /Root 1 0 R /Size 5 >>\nstartxref\n0\n%%EOF"),
    ]),
  );
}

/** A document that is said to be `size` bytes when it is unpacked. */
function docxPacked(packed: Buffer, size: number, crc: number): Uint8Array<ArrayBuffer> {
  const path = Buffer.from("word/document.xml");
  const common = Buffer.alloc(26);
  common.writeUInt16LE(20, 0);
  common.writeUInt16LE(8, 4);
  common.writeUInt32LE(crc, 10);
  common.writeUInt32LE(packed.length, 14);
  common.writeUInt32LE(size, 18);
  common.writeUInt16LE(path.length, 22);
  const local = Buffer.concat([Buffer.from("PK\u0003\u0004"), common, path, packed]);
  const listed = Buffer.concat([Buffer.from("PK\u0001\u0002\u0014\u0000"), common, Buffer.alloc(14), path]);
  const end = Buffer.alloc(22);
  end.write("PK\u0005\u0006", "latin1");
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(local.length, 16);
  return new Uint8Array(Buffer.concat([local, listed, end]));
}

describe("a document that is made to fill the memory", () => {
  test("is given up, and the next one is read", async () => {
    const bomb = `<html><body>${"<p>".repeat(3_000_000)}x`;
    expectUnreadable(await read("bomb.html", bomb, { memoryMax: 64 * MIB }), "too much memory");
    expect(await read("good.html", "<html><body><p>Good day</p>")).toEqual([{ text: "Good day", headings: "" }]);
  }, 60_000);

  test("is given up where it only nests", async () => {
    expect(await read("deep.html", `<html>${"<div>".repeat(200_000)}x`)).toBeInstanceOf(UnreadableFile);
  }, 60_000);

  test("is given up where a few bytes unpack to very many, as a PDF and as a DOCX", async () => {
    const zeros = Buffer.alloc(300 * MIB, 32);
    const drawn = deflateSync(zeros);
    expect(drawn.length).toBeLessThan(MIB);
    const memoryMax = 64 * MIB;
    expectUnreadable(await read("bomb.pdf", pdfDrawn(drawn, drawn.length), { memoryMax }), "too much memory");
    const bomb = docxPacked(deflateRawSync(zeros), zeros.length, Bun.hash.crc32(zeros));
    expectUnreadable(await read("bomb.docx", bomb, { memoryMax }), "too much memory");
  }, 60_000);
});

describe("a document", () => {
  test("that takes too long is given up, and so is one that nobody waits for", async () => {
    const slow = `<html><body>${"<p>x</p>".repeat(400_000)}`;
    expectUnreadable(await read("slow.html", slow, { timeMaxMs: 1 }), "too long");
    const left = new AbortController();
    const reading = read("left.html", slow, { signal: left.signal });
    setTimeout(() => left.abort(), 20);
    expect(await reading).toMatchObject({ name: "AbortError" });
    expect(await read("left.html", slow, { signal: left.signal })).toMatchObject({ name: "AbortError" });
  }, 60_000);

  test.each([
    ["a.pdf", "%PDF-1.7\nthis is none", "PDF"],
    ["b.pdf", `%PDF-1.4\n${"1 0 obj << /Kids [1 0 R] /Type /Pages /Count 9 >> endobj\n".repeat(3)}%%EOF`, ""],
    ["c.docx", "PK\u0003\u0004this is none", "DOCX"],
    ["d.html", "<html></html>", "no text"],
    ["e.txt", " \n\u0000\n ", "no text"],
    ["f.txt", "", "no text"],
  ])("that is broken says so: %s", async (name, content, why) => {
    expectUnreadable(await read(name, content), why);
  });

  test("with a heading on each line takes no longer than its length", async () => {
    const chunks = await read("headings.md", "# a\n".repeat(250_000));
    expect(chunks).toHaveLength(1250);
    expect((chunks as { headings: string }[]).every(({ headings }) => headings === "a")).toBe(true);
  }, 20_000);

  test("with more than five million tokens is refused", async () => {
    expectUnreadable(await read("signs.txt", "!".repeat(5_000_001)), "too much text");
  }, 20_000);
});
