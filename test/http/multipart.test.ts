import { describe, expect, test } from "bun:test";
import Type from "typebox";
import { GatewayError } from "../../src/contract/errors.ts";
import { readMultipart } from "../../src/http/bodies/multipart.ts";
import { incomingBody } from "./incoming.ts";

const SPEC = { schema: Type.Object({}), file: "file", fileBytesMax: 5 * 1024 * 1024 };
const text = async (stream: ReadableStream<Uint8Array>): Promise<string> => new Response(stream).text();

const read = (body: Bun.BodyInit, type: string) =>
  readMultipart(
    new Request("http://x/", { method: "POST", body, headers: { "content-type": type } }),
    SPEC,
    incomingBody(),
  );

const form = (parts: readonly string[], boundary = "b") =>
  read(
    `${parts.map((part) => `--${boundary}\r\n${part}\r\n`).join("")}--${boundary}--\r\n`,
    `multipart/form-data; boundary=${boundary}`,
  );

const field = (name: string, value: string) => `Content-Disposition: form-data; name="${name}"\r\n\r\n${value}`;
const file = (name: string, content: string, filename = "a.wav") =>
  `Content-Disposition: form-data; name="${name}"; filename="${filename}"\r\nContent-Type: audio/wav\r\n\r\n${content}`;

describe("a multipart form", () => {
  test("gives its fields in order and its file, whichever comes first", async () => {
    for (const parts of [
      [field("model", "m"), field("tag", "1"), field("tag", "2"), file("file", "bytes")],
      [file("file", "bytes"), field("model", "m"), field("tag", "1"), field("tag", "2")],
    ]) {
      const made = await form(parts);
      expect(made.fields).toEqual([
        ["model", "m"],
        ["tag", "1"],
        ["tag", "2"],
      ]);
      expect([made.file.name, made.file.type]).toEqual(["a.wav", "audio/wav"]);
      expect(await text(made.file.read())).toBe("bytes");
    }
  });

  test("made by the platform's own FormData is understood", async () => {
    const made = new FormData();
    made.set("model", "ünï");
    made.set("file", new File([new Uint8Array(3_000_000).fill(7)], "ä.mp3", { type: "audio/mpeg" }));
    const request = new Request("http://x/", { method: "POST", body: made });
    const back = await readMultipart(request, SPEC, incomingBody());
    expect(back.fields).toEqual([["model", "ünï"]]);
    expect((await new Response(back.file.read()).bytes()).length).toBe(3_000_000);
  });

  test.each([
    ["no file", () => form([field("model", "m")]), "validation"],
    ["the file under another name", () => form([file("other", "x")]), "validation"],
    ["a file without a name", () => form([file("file", "x", "")]), "invalid_request"],
    ["a file over the limit", () => form([file("file", "x".repeat(6 * 1024 * 1024))]), "body_too_large"],
    [
      "a field over the limit",
      () => form([field("prompt", "x".repeat(2 * 1024 * 1024)), file("file", "x")]),
      "malformed_body",
    ],
    [
      "fields that are over the limit together",
      () => form([...Array.from({ length: 6 }, (_, at) => field(`f${at}`, "x".repeat(900_000))), file("file", "x")]),
      "body_too_large",
    ],
    [
      "too many fields",
      () => form([...Array.from({ length: 200 }, (_, i) => field(`f${i}`, "x")), file("file", "x")]),
      "malformed_body",
    ],
    ["another type", () => read("{}", "application/json"), "unsupported_media_type"],
    ["no boundary", () => read("x", "multipart/form-data"), "unsupported_media_type"],
    ["a boundary that is too long", () => form([file("file", "x")], "b".repeat(71)), "unsupported_media_type"],
    [
      "an end that never comes",
      () => read(`--b\r\n${file("file", "x")}`, "multipart/form-data; boundary=b"),
      "malformed_body",
    ],
    ["nothing in it", () => read("garbage", "multipart/form-data; boundary=b"), "malformed_body"],
  ])("with %s is refused", async (_, send, kind) => {
    const failure = await send().then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(failure).toBeInstanceOf(GatewayError);
    expect((failure as GatewayError).kind).toBe(kind as never);
  });

  test("with a boundary of dashes does not burn time", async () => {
    const boundary = "-".repeat(70);
    const body = `--${boundary}\r\n${"-".repeat(200_000)}`;
    const failure = await read(body, `multipart/form-data; boundary=${boundary}`).catch((thrown: unknown) => thrown);
    expect(failure).toBeInstanceOf(GatewayError);
  });

  test("truncated at any byte is refused or whole, never an unknown error", async () => {
    const whole = `--b\r\n${field("model", "m")}\r\n--b\r\n${file("file", "some bytes")}\r\n--b--\r\n`;
    for (let cut = 0; cut < whole.length; cut += 3) {
      const outcome = await read(whole.slice(0, cut), "multipart/form-data; boundary=b").catch(
        (thrown: unknown) => thrown,
      );
      if (outcome instanceof Error) expect(outcome).toBeInstanceOf(GatewayError);
    }
  });

  test("that cannot be set aside, because the folder for temporary files takes nothing, may be sent again later", async () => {
    const { TMPDIR } = process.env;
    process.env.TMPDIR = "/nowhere/at/all";
    try {
      const thrown = await form([file("file", "x".repeat(2_000_000))]).catch((error: unknown) => error);
      expect(thrown).toMatchObject({ kind: "unavailable", cause: { code: "ENOENT" } });
      expect(String(thrown)).not.toContain("nowhere");
      // What fits into memory needs no such folder.
      expect(await text((await form([file("file", "bytes")])).file.read())).toBe("bytes");
    } finally {
      if (TMPDIR === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = TMPDIR;
    }
  });
});
