import { expect, test } from "bun:test";
import { countedMp3, flac, mp3, mp4, ogg, webm } from "../../src/lib/sound/test-sounds.ts";
import { startBooked } from "./booked-app.ts";

let answer: string | null = null;

/** An upstream that does not tell how long it has listened. */
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  development: false,
  async fetch(request) {
    const file = (await request.formData()).get("file");
    return new Response(answer ?? `${file instanceof Blob ? file.size : 0}`, {
      headers: { "content-type": "text/plain" },
    });
  },
});
const { app, books } = await startBooked(
  {
    model_list: [
      {
        model_name: "by-second",
        litellm_params: { model: "openai/m", api_base: `http://127.0.0.1:${upstream.port}/v1`, api_key: "sk-x" },
        model_info: { mode: "audio_transcription", input_cost_per_second: 0.0001 },
      },
    ],
  },
  upstream,
);

async function heard(path: string, bytes: Buffer, name: string) {
  const form = new FormData();
  form.set("file", new File([new Uint8Array(bytes)], name, { type: `audio/${name.slice(2)}` }));
  form.set("model", "by-second");
  form.set("response_format", "text");
  const response = await app.call(path, { key: app.first.demoKey ?? "", body: form });
  expect([response.status, await response.text()]).toEqual([200, `${bytes.length}`]);
  const { soundMs, cost } = await books.last();
  expect(cost).toBe(BigInt(soundMs) * 100n);
  expect(books.held.at(-1)?.amount).toBeGreaterThanOrEqual(cost);
  return { soundMs, held: books.held.at(-1)?.amount };
}

/** Those of more than a mebibyte lie on the disk. */
const SOUNDS: readonly [name: string, bytes: Buffer, ms: number][] = [
  ["a.flac", flac({ samples: 441_000, soundBytes: 500_000 }), 10_000],
  ["a.flac", flac({ samples: 44_100 * 60, soundBytes: 3_000_000, pictureBytes: 100_000 }), 60_000],
  ["a.ogg", ogg("vorbis", 44_100 * 50, 400_000), 50_000],
  ["a.opus", ogg("opus", 48_000 * 600 + 312, 2_000_000), 600_000],
  ["a.mp3", countedMp3("Xing", 1_000, mp3(1_000, 64)), 26_123],
  ["a.mp3", mp3(10_000, 128), 261_225],
  ["a.m4a", mp4({ ms: 42_000, soundBytes: 300_000, shape: "index last" }), 42_000],
  ["a.mp4", mp4({ ms: 42_000, soundBytes: 5_000_000, shape: "film" }), 42_000],
  ["a.webm", webm({ ms: 42_000, soundBytes: 2_000_000 }), 42_000],
];

test.each(["/v1/audio/transcriptions", "/v1/audio/translations"])(
  "where the upstream tells no length, a call is charged by the one that the file tells, and no more is set aside: %s",
  async (path) => {
    for (const [name, bytes, ms] of SOUNDS) {
      const { soundMs, held } = await heard(path, bytes, name);
      expect([name, Math.abs(soundMs - ms) < 30 + ms / 300]).toEqual([name, true]);
      expect(held).toBe(BigInt(soundMs) * 100n);
    }
  },
);

test("subtitles end with the last word: where the file tells a longer sound, that was listened to", async () => {
  const subtitled = async (bytes: Buffer) => {
    answer = "1\n00:00:00,000 --> 00:00:02,500\na\n";
    const form = new FormData();
    form.set("file", new File([new Uint8Array(bytes)], "a.m4a", { type: "audio/mp4" }));
    form.set("model", "by-second");
    form.set("response_format", "srt");
    const response = await app.call("/v1/audio/transcriptions", { key: app.first.demoKey ?? "", body: form });
    expect([response.status, await response.text()]).toEqual([200, answer]);
    answer = null;
    return (await books.last()).soundMs;
  };
  expect(await subtitled(mp4({ ms: 42_000, soundBytes: 300_000 }))).toBe(42_000);
  expect(await subtitled(mp4({ ms: 1_000, soundBytes: 3_000 }))).toBe(2_500);
  // Of a file that tells nothing they are the best that is known.
  expect(await subtitled(Buffer.alloc(160_000, 1))).toBe(2_500);
});

test("who says that a sound is shorter than its size has room for is charged by its size", async () => {
  const { soundMs } = await heard("/v1/audio/transcriptions", ogg("opus", 400, 2_560_000), "a.ogg");
  expect(soundMs).toBeWithin(40_000, 42_000);
});

test("a file that cannot be believed is charged by its size, as one that says nothing", async () => {
  for (const bytes of [
    webm({ ms: null, soundBytes: 160_000 }),
    flac({ samples: 2 ** 36 - 1, rate: 1, soundBytes: 160_000 }),
  ]) {
    expect((await heard("/v1/audio/transcriptions", bytes, "a.webm")).soundMs).toBeWithin(10_000, 10_100);
  }
});
