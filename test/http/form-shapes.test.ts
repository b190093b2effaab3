import { afterAll, describe, expect, test } from "bun:test";
import { MASTER_KEY, startApp } from "../app.ts";

const app = await startApp();
afterAll(() => app.close());

const END = "--bb--\r\n";
const DISPOSITION = 'Content-Disposition: form-data; name="file"; filename="a.txt"';
const FILE = `--bb\r\n${DISPOSITION}\r\n\r\nhello\r\n`;
const PURPOSE = '--bb\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nassistants\r\n';

/** The operations that read forms, and what each calls its file. */
const FORMS = [
  ["/v1/files", "file"],
  ["/v1/audio/transcriptions", "file"],
  ["/v1/audio/translations", "file"],
  ["/v1/images/edits", "image"],
] as const;

/** Forms that hand-written clients, broken proxies and attackers send. None of them may be left without a response. */
const SHAPES: [string, string, number][] = [
  ["a part with another boundary", `--bb\r\n--b\r\n${END}`, 400],
  ["a part of nothing", `--bb\r\n${END}`, 422],
  ["a part of one line break", `--bb\r\n\r\n${END}`, 400],
  ["two parts of nothing", `--bb\r\n--bb\r\n${END}`, 422],
  ["a header right before the end", `--bb\r\n${DISPOSITION}\r\n${END}`, 400],
  ["a header on the line of the end", `--bb\r\n${DISPOSITION}${END}`, 400],
  ["a header without a blank line, then a part", `--bb\r\n${DISPOSITION}\r\n${FILE}${END}`, 400],
  ["a header without a colon", `--bb\r\nContent-Disposition\r\n${END}`, 400],
  ["headers without an end", `--bb\r\n${"X-A: b\r\n".repeat(50)}${END}`, 400],
  ["a long header without an end", `--bb\r\nX-A: ${"b".repeat(200_000)}\r\n${END}`, 400],
  ["a header with a NUL, without an end", `--bb\r\nX-A: \0\r\n${END}`, 400],
  ["a file, then a part without a blank line", `${FILE}--bb\r\n${DISPOSITION}\r\n${END}`, 400],
  ["a part without a blank line, then a file", `--bb\r\n${DISPOSITION}\r\n${FILE}${PURPOSE}${END}`, 400],
  ["a field, then a part of nothing", `${PURPOSE}--bb\r\n${END}`, 422],
  ["a nested form without an end", `--bb\r\nContent-Type: multipart/mixed; boundary=c\r\n--c\r\n${END}`, 400],
  ["no end at all", FILE, 400],
  ["an end in the middle of a header", `--bb\r\n${DISPOSITION}`, 400],
  ["an end behind the headers", `--bb\r\n${DISPOSITION}\r\n\r\n`, 400],
  ["a boundary alone", "--bb", 400],
  ["text before the boundary and nothing else", "hello", 400],
  ["line feeds in place of line breaks", `${FILE}${END}`.replaceAll("\r\n", "\n"), 400],
  ["nothing", "", 400],
];

describe("a form with", () => {
  test.each(SHAPES)("%s gets a response", async (_, body, status) => {
    const headers = { "content-type": "multipart/form-data; boundary=bb" };
    for (const [path, field] of FORMS) {
      const sent = body.replaceAll('name="file"', `name="${field}"`);
      const response = await app.call(path, { method: "POST", key: MASTER_KEY, headers, body: sent });
      expect(`${response.status} ${await response.text()}`).toStartWith(`${status} `);
    }
  });

  test("a file that has another name, and no end, is rejected", async () => {
    const headers = { "content-type": "multipart/form-data; boundary=bb" };
    const response = await app.call("/v1/images/edits", { method: "POST", key: MASTER_KEY, headers, body: FILE });
    expect(response.status).toBe(422);
  });

  test("an end and text behind it is read", async () => {
    const headers = { "content-type": "multipart/form-data; boundary=bb" };
    const body = `before\r\n${FILE}${PURPOSE}${END}behind`;
    const response = await app.call("/v1/files", { method: "POST", key: MASTER_KEY, headers, body });
    expect(response.status).toBe(200);
  });
});
