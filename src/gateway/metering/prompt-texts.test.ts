import { expect, test } from "bun:test";
import { promptTexts } from "./prompt-texts.ts";

const tokensOf = (part: object): number => promptTexts({ messages: [{ role: "user", content: [part] }] }).extraTokens;
const none = tokensOf({ type: "text", text: "" });
const bytes = (count: number): string => Buffer.alloc(count).toString("base64");

test("a file or a sound in a message counts by its size, so that credit is set aside for it", () => {
  const pdf = { type: "file", file: { file_data: `data:application/pdf;base64,${bytes(400_000)}` } };
  expect(tokensOf(pdf) - none).toBeWithin(10_000, 10_010);
  const text = { type: "file", file: { file_data: `data:text/plain;base64,${bytes(400_000)}` } };
  expect(tokensOf(text) - none).toBeWithin(100_000, 100_010);
  const minute = { type: "input_audio", input_audio: { data: bytes(960_000), format: "mp3" } };
  expect(tokensOf(minute) - none).toBe(600);
  const document = { type: "document", source: { type: "base64", media_type: "application/pdf", data: bytes(40_000) } };
  expect(tokensOf(document) - none).toBeWithin(1_000, 1_003);
});

test("a file that is only named counts as a page", () => {
  expect(tokensOf({ type: "file", file: { file_id: "file-1" } }) - none).toBe(1_000);
});

test("a part that says nothing counts for nothing", () => {
  for (const part of [{ type: "thinking" }, { type: "file", file: "x" }, {}]) expect(tokensOf(part)).toBe(none);
});
