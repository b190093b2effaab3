import { describe, expect, test } from "bun:test";
import { docxBomb, pdfBomb } from "../../../test/files/bombs.ts";
import { type Reading, readFile, UnreadableFile } from "./read-file.ts";
import { FairReadingQueue } from "./reading-queue.ts";

const MIB = 1024 * 1024;
const queue = new FairReadingQueue(() => performance.now());
const document = (name: string, content: string | Uint8Array<ArrayBuffer>, more: Partial<Reading> = {}): Reading => ({
  name,
  open: async () => new Blob([content]).stream(),
  chunking: { type: "auto" },
  ticket: { id: crypto.randomUUID(), tenant: "a", interruptions: 0 },
  queue,
  signal: new AbortController().signal,
  ...more,
});
const read = (name: string, content: string | Uint8Array<ArrayBuffer>, more: Partial<Reading> = {}) =>
  readFile(document(name, content, more)).catch((thrown: unknown) => thrown);
const expectUnreadable = (given: unknown, why: string) => {
  expect(given).toBeInstanceOf(UnreadableFile);
  expect(given).toMatchObject({ code: "invalid_file", message: expect.stringContaining(why) });
};

describe("a document that is made to fill the memory", () => {
  test("is given up, and the next one is read", async () => {
    const bomb = `<html><body>${"<p>".repeat(3_000_000)}x`;
    expectUnreadable(await read("bomb.html", bomb, { memoryBytesMax: 128 * MIB }), "too much memory");
    expect(await read("good.html", "<html><body><p>Good day</p>")).toEqual([{ text: "Good day", headings: "" }]);
  }, 60_000);

  test("is given up where it only nests", async () => {
    expect(await read("deep.html", `<html>${"<div>".repeat(200_000)}x`)).toBeInstanceOf(UnreadableFile);
  }, 60_000);

  test("is given up where a few bytes unpack to very many, as a PDF and as a DOCX", async () => {
    const memoryBytesMax = 128 * MIB;
    for (const [name, bomb] of [
      ["bomb.pdf", pdfBomb(300 * MIB)] as const,
      ["bomb.docx", docxBomb(300 * MIB)] as const,
    ]) {
      expect(bomb.length).toBeLessThan(MIB);
      expectUnreadable(await read(name, bomb, { memoryBytesMax }), "too much memory");
    }
  }, 60_000);
});

describe("a document", () => {
  test("that takes too long is given up, and so is one that nobody waits for", async () => {
    const slow = `<html><body>${"<p>x</p>".repeat(400_000)}`;
    expectUnreadable(await read("slow.html", slow, { timeMsMax: 1 }), "too long");
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
