import { afterEach, describe, expect, test } from "bun:test";
import { BatchInput, LINES_MAX } from "./batch-input.ts";

const ENDPOINT = "/v1/chat/completions";
const request = (custom_id: unknown, more: object = {}): string =>
  JSON.stringify({ custom_id, method: "POST", url: ENDPOINT, body: { model: "m" }, ...more });

/** However the bytes are cut. */
function streamOf(text: string, size: number): ReadableStream<Uint8Array> {
  const bytes = Buffer.from(text);
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.subarray(at, at + size));
      at += size;
    },
  });
}

const inputs: BatchInput[] = [];
afterEach(() => {
  for (const input of inputs.splice(0)) input.discard();
});

function newInput(): BatchInput {
  const input = new BatchInput(ENDPOINT, 1_000);
  inputs.push(input);
  return input;
}

async function read(text: string, size = 1_000) {
  const input = newInput();
  return { input, faults: await input.fill(streamOf(text, size)) };
}

describe("the file of a batch", () => {
  test.each([1, 7, 64, 10_000])("is cut into its lines, in pieces of %i bytes", async (size) => {
    const text = `\ufeff${request("a")}\r\n\n  \n${request("ü")}\n${request("c", { body: { text: "x\u2028y" } })}`;
    const { input, faults } = await read(text, size);
    expect(faults).toEqual([]);
    expect(input.lines).toEqual([1, 4, 5]);
    expect((await input.take(1)).customId).toBe("a");
    expect((await input.take(4)).customId).toBe("ü");
    expect(await input.take(5)).toEqual({ customId: "c", body: { text: "x\u2028y" } });
    await expect(input.take(2)).rejects.toThrow();
  });

  test("is told line by line what is wrong with it", async () => {
    const lines = [
      request("a"),
      "{",
      "[]",
      request(undefined),
      request(""),
      request("b", { method: "GET" }),
      request("c", { url: "/v1/embeddings" }),
      request("d", { body: [] }),
      request("a"),
      request("e", { body: { text: "x".repeat(1_000) } }),
      request("f"),
    ];
    const { faults } = await read(lines.join("\n"));
    expect(faults.map(({ line, code, param }) => [line, code, param])).toEqual([
      [2, "invalid_json_line", null],
      [3, "invalid_json_line", null],
      [4, "missing_required_parameter", "custom_id"],
      [5, "missing_required_parameter", "custom_id"],
      [6, "invalid_method", "method"],
      [7, "invalid_url", "url"],
      [8, "missing_required_parameter", "body"],
      [9, "duplicate_custom_id", "custom_id"],
      [10, "line_too_long", null],
    ]);
  });

  test("is told every fault of a line, and what is missing by its name", async () => {
    const lines = [
      request("a", { method: undefined }),
      '{"params":{}}',
      request("a", { method: "GET", url: null }),
      request("b", { method: "", url: 1 }),
    ];
    const { faults } = await read(lines.join("\n"));
    expect(faults.map(({ line, code, param }) => [line, code, param])).toEqual([
      [1, "missing_required_parameter", "method"],
      [2, "missing_required_parameter", "custom_id"],
      [2, "missing_required_parameter", "method"],
      [2, "missing_required_parameter", "url"],
      [2, "missing_required_parameter", "body"],
      [3, "invalid_method", "method"],
      [3, "missing_required_parameter", "url"],
      [3, "duplicate_custom_id", "custom_id"],
      [4, "invalid_method", "method"],
      [4, "invalid_url", "url"],
    ]);
    expect(faults[0]?.message).toBe("`method` is missing: it has to be POST.");
    expect((await read("{}\n".repeat(26))).faults).toHaveLength(100);
    expect((await read("{}\n{}\n{}\n[]\n".repeat(26))).faults).toHaveLength(100);
  });

  test("that is not UTF-8 has no line that can be read", async () => {
    const input = newInput();
    const bytes = Buffer.concat([Buffer.from('{"custom_id":"'), Buffer.from([0xff]), Buffer.from('"}')]);
    expect((await input.fill(new Blob([bytes]).stream()))[0]?.code).toBe("invalid_json_line");
  });

  test("has something in it, and not too much", async () => {
    for (const text of ["", "\n\n"]) expect((await read(text)).faults[0]?.code).toBe("empty_file");
    const many = Array.from({ length: LINES_MAX + 1 }, (_, at) => request(`${at}`)).join("\n");
    expect((await read(many, 1_000_000)).faults.map(({ code }) => code)).toEqual(["too_many_requests"]);
    const blank = await read("\n".repeat(4 * LINES_MAX + 1), 1_000_000);
    expect(blank.faults.map(({ code }) => code)).toEqual(["too_many_requests"]);
    const { faults } = await read("x\n".repeat(200));
    expect(faults).toHaveLength(100);
  });

  test("of more than 200 MB is read no further", async () => {
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 1024 * 1024;
        controller.enqueue(new Uint8Array(1024 * 1024));
      },
    });
    const input = newInput();
    expect((await input.fill(endless))[0]?.code).toBe("file_too_large");
    expect(sent).toBeLessThan(210 * 1024 * 1024);
  });
});
