import { describe, expect, test } from "bun:test";
import { readFile, UnreadableFile } from "./read-file.ts";

const MIB = 1024 * 1024;
const read = (name: string, text: string, memoryMax?: number) =>
  readFile(name, new Blob([text]).stream(), memoryMax).catch((thrown: unknown) => thrown);

describe("a document that is made to fill the memory", () => {
  const bomb = `<html><body>${"<p>".repeat(3_000_000)}x`;

  test("is given up, and the next one is read", async () => {
    const given = await read("bomb.html", bomb, 64 * MIB);
    expect(given).toBeInstanceOf(UnreadableFile);
    expect(given).toMatchObject({ code: "invalid_file", message: expect.stringContaining("too much memory") });
    expect(await read("good.html", "<html><body><p>Good day</p>")).toBe("Good day");
  }, 60_000);

  test("is given up where it only nests", async () => {
    expect(await read("deep.html", `<html>${"<div>".repeat(200_000)}x`)).toBeInstanceOf(UnreadableFile);
  }, 60_000);
});
