import { describe, expect, test } from "bun:test";
import type { SentFile, SentForm } from "../dialect.ts";
import { streamMultipart } from "./multipart.ts";
import { openai } from "./provider.ts";
import { targetOf } from "./test-target.ts";

const formOf = (bytes: ReadableStream<Uint8Array>, change: Partial<SentFile> = {}): SentForm => ({
  fields: [
    ["language", "de"],
    ["timestamp_granularities[]", "word"],
    ["timestamp_granularities[]", "segment"],
  ],
  files: [{ field: "file", name: "speech.mp3", type: "audio/mpeg", read: () => bytes, ...change }],
});

const streamOf = (text: string): ReadableStream<Uint8Array> => new Blob([text]).stream();

const parse = ({ contentType, body }: ReturnType<typeof streamMultipart>): ReturnType<Response["formData"]> =>
  new Response(body, { headers: { "content-type": contentType } }).formData();

const PIECE_BYTES = 64 * 1024;
const TOTAL_BYTES = 1600 * PIECE_BYTES;

/** A file of 100 MB that is made as it is read. */
function manyPieces() {
  let made = 0;
  const source = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (made === TOTAL_BYTES) return controller.close();
        made += PIECE_BYTES;
        controller.enqueue(new Uint8Array(PIECE_BYTES));
      },
    },
    { highWaterMark: 0 },
  );
  return { source, produced: () => made };
}

describe("a form with a file", () => {
  test("is read back with its fields in order and its file whole", async () => {
    const form = await parse(streamMultipart(formOf(streamOf("sound"))));
    expect([...form.keys()]).toEqual(["language", "timestamp_granularities[]", "timestamp_granularities[]", "file"]);
    expect(form.getAll("timestamp_granularities[]")).toEqual(["word", "segment"]);
    const file = form.get("file");
    if (!(file instanceof File)) throw new Error("no file");
    expect([file.name, file.type, await file.text()]).toEqual(["speech.mp3", "audio/mpeg", "sound"]);
  });

  test("cannot be given further fields by a name, a type or a file's own bytes", async () => {
    const evil = '\r\n\r\nx\r\n--boundary\r\nContent-Disposition: form-data; name="model"\r\n\r\nbig\r\n';
    const form: SentForm = {
      fields: [[`a"${evil}`, evil]],
      files: [{ field: `g"${evil}`, name: `f"${evil}`, type: `audio/x${evil}`, read: () => streamOf(evil) }],
    };
    const read = await parse(streamMultipart(form));
    expect([...read.keys()]).toHaveLength(2);
    expect(read.get("model")).toBeNull();
    expect(streamMultipart(formOf(streamOf(""))).contentType).not.toBe(
      streamMultipart(formOf(streamOf(""))).contentType,
    );
  });

  test("passes 100 MB on without holding more than a piece of it", async () => {
    const { source, produced } = manyPieces();
    let received = 0;
    let furthest = 0;
    for await (const part of streamMultipart(formOf(source)).body) {
      received += part.length;
      furthest = Math.max(furthest, produced() - received);
    }
    expect(received).toBeGreaterThan(TOTAL_BYTES);
    expect(furthest).toBeLessThanOrEqual(2 * PIECE_BYTES);
  });

  test("passes 100 MB on over a socket at the pace of the one who reads", async () => {
    const { source, produced } = manyPieces();
    let received = 0;
    let furthest = 0;
    const server = Bun.serve({
      port: 0,
      async fetch(request) {
        for await (const part of request.body ?? []) {
          received += part.length;
          furthest = Math.max(furthest, produced() - received);
        }
        return new Response("taken");
      },
    });
    try {
      const { contentType, body } = streamMultipart(formOf(source));
      const response = await fetch(server.url, { method: "POST", headers: { "content-type": contentType }, body });
      expect(await response.text()).toBe("taken");
      expect(received).toBeGreaterThan(TOTAL_BYTES);
      expect(furthest).toBeLessThan(TOTAL_BYTES / 5);
    } finally {
      await server.stop(true);
    }
  });

  test("stops reading the file when the upstream stops taking it", async () => {
    let cancelled: unknown;
    const source = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(10)),
      cancel: (reason) => {
        cancelled = reason;
      },
    });
    const reader = streamMultipart(formOf(source)).body.getReader();
    await reader.read();
    await reader.cancel("enough");
    expect(cancelled).toBe("enough");
  });

  test("breaks off when the file does", async () => {
    const source = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(new Error("cut")) });
    expect(new Response(streamMultipart(formOf(source)).body).text()).rejects.toThrow("cut");
  });
});

test("several files go out one behind the other, as they are and in their order", async () => {
  const file = (field: string, text: string) => ({
    ...{ field, name: `${text}.png`, type: "image/png", read: () => streamOf(text) },
  });
  const form = {
    fields: [["n", "2"]] as const,
    files: [file("image[]", "one"), file("image[]", ""), file("mask", "m")],
  };
  const head = (name: string, text: string) =>
    `Content-Disposition: form-data; name="${name}"; filename="${text}.png"\r\nContent-Type: image/png\r\n\r\n${text}`;
  expect(await new Response(streamMultipart(form, "b").body).text()).toBe(
    [
      '--b\r\nContent-Disposition: form-data; name="n"\r\n\r\n2\r\n--b',
      `${head("image[]", "one")}\r\n--b`,
      `${head("image[]", "")}\r\n--b`,
      `${head("mask", "m")}\r\n--b--\r\n`,
    ].join("\r\n"),
  );
});

test("a transcription goes out with the upstream's model and without what is the gateway's own", async () => {
  const form = formOf(streamOf("sound"));
  const fields = [["model", "group"], ["metadata", "{}"], ["api_key", "sk-caller"], ...form.fields] as const;
  const request = openai.transcription?.encode({ ...form, fields }, targetOf("openai"));
  if (!request || !(request.body instanceof ReadableStream)) throw new Error("no stream");
  expect(request.url).toBe("https://api.openai.com/v1/audio/transcriptions");
  expect(request.headers.authorization).toBe("Bearer sk-deployment");
  const contentType = request.headers["content-type"] ?? "";
  const read = await parse({ contentType, body: request.body });
  expect([...read.keys()]).toEqual(["model", ...form.fields.map(([name]) => name), "file"]);
  expect(read.get("model")).toBe("a-model");
});
