import { describe, expect, test } from "bun:test";
import { incomingBody } from "../../../test/http/incoming.ts";
import { GatewayError } from "../../contract/errors.ts";
import { parseJsonBody, readJsonBody } from "./read-body.ts";

const MAX = 1024 * 1024;
/** Long enough to be read in the way of long ones. */
const FILL = "word ".repeat(20_000);
const encode = (text: string) => new TextEncoder().encode(text);

const read = async (bytes: Uint8Array, bytesMax = MAX): Promise<unknown> => {
  const headers = { "content-type": "application/json", "content-length": String(bytes.length) };
  const request = new Request("http://here/", { method: "POST", headers, body: bytes });
  return parseJsonBody(await readJsonBody(request, bytesMax, incomingBody()));
};

/** A text with these bytes in the middle of it. */
const around = (bytes: readonly number[]): Uint8Array =>
  Buffer.concat([encode(`{"text":"${FILL}`), new Uint8Array(bytes), encode('"}')]);

async function refusal(reading: Promise<unknown>): Promise<string> {
  try {
    await reading;
  } catch (thrown) {
    if (thrown instanceof GatewayError) return thrown.message;
  }
  return "read";
}

test("who sends neither a body nor a type sends no fields; a body without a type is refused", async () => {
  const post = (body: Uint8Array | null) =>
    readJsonBody(new Request("http://here/", { method: "POST", body }), MAX, incomingBody());
  expect(parseJsonBody(await post(null))).toEqual({});
  expect(await refusal((async () => post(encode("{}")))())).toContain("Content-Type: application/json");
});

describe("a long body", () => {
  test.each([["plain"], ["Grüße"], ["日本語"], ["🙂"], ["\ufffd"], ["é\ufffd"]])(
    "with %s in it is read as it is",
    async (text) => {
      expect(await read(encode(JSON.stringify({ text: FILL + text })))).toEqual({ text: FILL + text });
    },
  );

  test.each([
    ["a lone byte", [0xff]],
    ["half of a character", [0xc3]],
    ["three quarters of a character, as long as what stands for it", [0xf0, 0x9f, 0x98]],
    ["a surrogate", [0xed, 0xa0, 0x80]],
  ])("with %s in it is not UTF-8", async (_, bytes) => {
    expect(await refusal(read(around(bytes)))).toBe("The request body is not valid UTF-8.");
  });

  test("may not begin with a mark of its byte order, as no body may", async () => {
    const marked = Buffer.concat([new Uint8Array([0xef, 0xbb, 0xbf]), around([])]);
    expect(await refusal(read(marked))).toContain("Invalid JSON payload");
    expect(await refusal(read(Buffer.concat([new Uint8Array([0xef, 0xbb, 0xbf]), encode("{}")])))).toContain(
      "Invalid JSON",
    );
  });

  test("is refused where it is longer than it may be", async () => {
    expect(await refusal(read(around([]), 70_000))).toContain("larger than 70000 bytes");
  });
});
