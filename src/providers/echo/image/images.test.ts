import { describe, expect, test } from "bun:test";
import { crc32, inflateSync } from "node:zlib";
import type { ImagesResponse } from "openai/resources";
import { testEcho } from "../test-echo.ts";
import { drawLandscape } from "./draw.ts";
import type { Picture } from "./png.ts";
import { encodePng } from "./png.ts";

const { json, refusal } = testEcho();
const ask = (body: object) => json<ImagesResponse>("images/generations", { model: "echo", ...body });

/** A decoder of its own, so that the encoder is not checked against itself. */
function decodePng(png: Buffer): Picture {
  expect(png.subarray(0, 8).toString("hex")).toBe("89504e470d0a1a0a");
  const chunks = new Map<string, Buffer>();
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const end = at + 8 + length;
    expect(png.readUInt32BE(end)).toBe(crc32(png.subarray(at + 4, end)));
    chunks.set(png.toString("latin1", at + 4, at + 8), png.subarray(at + 8, end));
    at = end + 4;
  }
  expect([...chunks.keys()]).toEqual(["IHDR", "IDAT", "IEND"]);
  const header = chunks.get("IHDR") ?? Buffer.alloc(13);
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const rows = inflateSync(chunks.get("IDAT") ?? Buffer.alloc(0));
  const rgb = new Uint8Array(width * height * 3);
  for (let at = 0; at < rgb.length; at++) {
    const row = Math.floor(at / (width * 3));
    rgb[at] = (rows[at + row + 1] ?? 0) + (row === 0 ? 0 : (rgb[at - width * 3] ?? 0));
  }
  return { width, height, rgb };
}

test("a PNG decodes to the pixels that were drawn", async () => {
  const picture = drawLandscape("a fox", 0, 33, 17);
  expect(decodePng(await encodePng(picture))).toEqual(picture);
});

describe("images", () => {
  test("one 512 by 512 picture by default, with its tokens counted", async () => {
    const { data, usage, size } = await ask({ prompt: "a red fox" });
    expect(data).toHaveLength(1);
    expect(size).toBe("512x512");
    const { width, height, rgb } = decodePng(Buffer.from(data?.[0]?.b64_json ?? "", "base64"));
    expect([width, height]).toEqual([512, 512]);
    expect(new Set(rgb).size).toBeGreaterThan(100);
    expect(usage).toMatchObject({ input_tokens: 3, output_tokens: 256, total_tokens: 259 });
  });

  test("the prompt decides the picture, and each of several is another", async () => {
    const body = { prompt: "fox", size: "32x32", n: 2 };
    const first = await ask(body);
    expect(await ask(body)).toEqual(first);
    expect(first.data?.[0]).not.toEqual(first.data?.[1]);
    expect((await ask({ ...body, prompt: "owl" })).data).not.toEqual(first.data);
  });

  test("a URL holds the whole picture", async () => {
    const { data } = await ask({ prompt: "fox", size: "64x48", response_format: "url" });
    const url = data?.[0]?.url ?? "";
    expect(url).toStartWith("data:image/png;base64,");
    expect(decodePng(Buffer.from(url.slice(url.indexOf(",") + 1), "base64"))).toMatchObject({ width: 64, height: 48 });
  });

  test("what cannot be drawn is refused", async () => {
    const wrong = { size: "2048x2048", n: 11, prompt: "", output_format: "webp", response_format: "svg", stream: true };
    for (const [param, value] of Object.entries(wrong)) {
      expect(await refusal("images/generations", { prompt: "fox", [param]: value })).toMatchObject({
        status: 400,
        param,
      });
    }
  });
});
