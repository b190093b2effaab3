import { describe, expect, test } from "bun:test";
import { crc32, deflateSync, inflateSync } from "node:zlib";
import type { ImagesResponse } from "openai/resources";
import { testEcho } from "../test-echo.ts";
import { drawLandscape } from "./draw.ts";
import type { Picture } from "./png.ts";
import { encodePng } from "./png.ts";
import { findPixels } from "./read-png.ts";

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

/** A PNG as others write it: any kind, each row with another filter. */
function foreignPng(width: number, height: number, kind: number, pixels: readonly number[]): Buffer {
  const channels = pixels.length / (width * height);
  const rowBytes = width * channels;
  const rows = Array.from({ length: height }, (_, row) => {
    const filter = row % 5;
    const at = (y: number, x: number) => (y < 0 || x < 0 ? 0 : (pixels[y * rowBytes + x] ?? 0));
    return [
      filter,
      ...Array.from({ length: rowBytes }, (__, x) => {
        const [left, above, corner] = [
          at(row, x - channels),
          at(row - 1, x),
          x < channels ? 0 : at(row - 1, x - channels),
        ];
        const guess = left + above - corner;
        const [nearest = 0] = [left, above, corner].sort((a, b) => Math.abs(guess - a) - Math.abs(guess - b));
        return (at(row, x) - ([0, left, above, (left + above) >> 1, nearest][filter] ?? 0)) & 255;
      }),
    ];
  });
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, kind, 0, 0, 0], 8);
  const data = deflateSync(Buffer.from(rows.flat()));
  const chunk = (type: string, bytes: Uint8Array) => {
    const made = Buffer.alloc(12 + bytes.length);
    made.writeUInt32BE(bytes.length, 0);
    made.write(type, 4, "latin1");
    made.set(bytes, 8);
    return made;
  };
  // The data comes in two chunks, behind one that nobody knows.
  const cut = data.length >> 1;
  return Buffer.concat([
    Buffer.from("89504e470d0a1a0a", "hex"),
    ...[chunk("IHDR", header), chunk("teXt", Buffer.from("x"))],
    ...[chunk("IDAT", data.subarray(0, cut)), chunk("IDAT", data.subarray(cut)), chunk("IEND", Buffer.alloc(0))],
  ]);
}

const noise = (count: number) => Array.from({ length: count }, (_, at) => (at * at * 31 + at * 7) & 255);

describe("a PNG that was given", () => {
  test.each([
    [0, 1],
    [2, 3],
    [4, 2],
    [6, 4],
  ])("of kind %p is read with every filter", async (kind, channels) => {
    const pixels = noise(7 * 11 * channels);
    const read = await findPixels(foreignPng(7, 11, kind, pixels));
    const pixel = (at: number) => pixels.slice(at * channels, (at + 1) * channels);
    const places = Array.from({ length: 77 }, (_, at) => pixel(at));
    expect([...(read?.rgb ?? [])]).toEqual(
      places.flatMap((one) => (channels < 3 ? Array(3).fill(one[0]) : one.slice(0, 3))),
    );
    expect([...(read?.alpha ?? [])]).toEqual(places.map((one) => (channels % 2 ? 255 : (one.at(-1) ?? 0))));
  });

  test("that is damaged, cut, larger than it says or than may be is not opened, and breaks nothing", async () => {
    const whole = foreignPng(7, 11, 6, noise(308));
    for (let cut = 0; cut < whole.length; cut++) {
      const read = await findPixels(whole.subarray(0, cut));
      if (read) expect(read.rgb).toHaveLength(231);
    }
    const huge = Buffer.from(whole);
    huge.writeUInt32BE(100_000, 16);
    const low = Buffer.from(whole);
    low.writeUInt32BE(3, 20);
    expect([await findPixels(huge), await findPixels(low)]).toEqual([null, null]);
  });
});

describe("edits", () => {
  const picture = foreignPng(32, 32, 2, Array(32 * 32 * 3).fill(255));
  /** Transparent in its left half. */
  const mask = foreignPng(
    32,
    32,
    6,
    Array.from({ length: 32 * 32 }, (_, at) => [0, 0, 0, at % 32 < 16 ? 0 : 255]).flat(),
  );
  const formOf = (files: Record<string, Uint8Array | string>): FormData => {
    const form = new FormData();
    form.set("model", "echo");
    form.set("prompt", "a fox");
    for (const [name, value] of Object.entries(files))
      form.set(name, typeof value === "string" ? value : new File([value], `${name}.png`));
    return form;
  };
  const edit = async (files: Record<string, Uint8Array | string>) => {
    const { data, ...rest } = await json<ImagesResponse>("images/edits", formOf(files));
    return { ...rest, pictures: (data ?? []).map(({ b64_json = "" }) => decodePng(Buffer.from(b64_json, "base64"))) };
  };

  test("keep the picture where the mask covers it, and draw where it does not", async () => {
    const { pictures, usage, size } = await edit({ image: picture, mask });
    expect([size, usage?.input_tokens_details]).toEqual(["32x32", { text_tokens: 2, image_tokens: 1 }] as never);
    const { rgb } = pictures[0] ?? { rgb: [] };
    const kept = Array.from({ length: 32 * 32 }, (_, at) => rgb[at * 3] === 255 && rgb[at * 3 + 1] === 255);
    expect(kept.every((isKept, at) => isKept || at % 32 < 16)).toBe(true);
    expect(kept.filter((isKept, at) => isKept && at % 32 < 16).length).toBeLessThan(100);
  });

  test("are the same for the same picture, and others for another one, for each number and size", async () => {
    const first = await edit({ image: picture, n: "2", size: "48x16" });
    expect(await edit({ image: picture, n: "2", size: "48x16" })).toEqual(first);
    expect(first.pictures.map(({ width, height }) => [width, height])).toEqual([
      [48, 16],
      [48, 16],
    ]);
    expect(first.pictures[0]?.rgb).not.toEqual(first.pictures[1]?.rgb as Uint8Array);
    expect((await edit({ image: mask, n: "2", size: "48x16" })).pictures).not.toEqual(first.pictures);
    const unopened = await edit({ image: Buffer.from([0xff, 0xd8, 0xff, 0xe0]), size: "16x16" });
    expect(unopened.pictures[0]?.width).toBe(16);
  });

  test.each([
    ["image", {}],
    ["image", { image: "a text" }],
    ["mask", { image: picture, mask: Buffer.from("no png") }],
    ["mask", { image: foreignPng(1, 1, 2, [0, 0, 0]), mask }],
    ["n", { image: picture, n: "many" }],
    ["size", { image: picture, size: "9x9" }],
    ["stream", { image: picture, stream: "true" }],
  ])("refuse what they cannot do, naming `%s`", async (param, files) => {
    expect(await refusal("images/edits", formOf(files))).toMatchObject({ status: 400, param });
  });
});
