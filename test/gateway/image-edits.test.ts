import { describe, expect, test } from "bun:test";
import { encodePng } from "../../src/providers/echo/image/png.ts";
import { MASTER_KEY } from "../app.ts";
import { startBooked } from "../metering/booked-app.ts";
import { restrictedKey } from "../models/restricted-key.ts";
import { formsOf, formText, type Parts, startFormUpstream } from "./form-upstream.ts";

const answer = (images: number) => () =>
  Response.json({
    created: 1_760_000_000,
    data: Array(images).fill({ b64_json: "AAAA" }),
    usage: {
      input_tokens: 300,
      output_tokens: 50,
      total_tokens: 350,
      input_tokens_details: { image_tokens: 290, text_tokens: 10 },
    },
  });
const failing = () => Response.json({ error: { message: "busy" } }, { status: 503 });

const upstream = startFormUpstream([answer(1)]);
const openai = { api_base: `${upstream.origin}/v1`, api_key: "sk-upstream" };
const mode = "image_generation";
const perImage = { mode, output_cost_per_image: 0.04 };
const perToken = { mode, input_cost_per_token: 0.000005, output_cost_per_token: 0.00004 };
const { app, books } = await startBooked(
  {
    model_list: [
      { model_name: "by-image", litellm_params: { model: "openai/my-edits", ...openai }, model_info: perImage },
      {
        model_name: "by-token",
        litellm_params: { model: "openai/gpt-image-1.5", quality: "high", ...openai },
        model_info: perToken,
      },
      {
        model_name: "azure-edits",
        litellm_params: {
          model: "azure/pictures",
          api_base: upstream.origin,
          api_key: "k",
          api_version: "2025-04-01-preview",
        },
        model_info: { mode, free: true },
      },
      {
        model_name: "chat-only",
        litellm_params: { model: "anthropic/claude-x", api_key: "k" },
        model_info: { mode, free: true },
      },
      { model_name: "slow", litellm_params: { model: "echo/image", rpm: 1 }, model_info: { mode, free: true } },
      {
        model_name: "echo-image",
        litellm_params: { model: "echo/image" },
        model_info: { mode, output_cost_per_image: 0.001 },
      },
    ],
    guardrails: [
      {
        guardrail_name: "words",
        litellm_params: { guardrail: "word_list", mode: "pre_call", words: ["falcon"] },
      },
    ],
    router_settings: { fallbacks: [{ "by-token": ["by-image"] }], retry_after: 0 },
  },
  upstream,
);
const key = app.first.demoKey ?? "";

const png = await encodePng({ width: 16, height: 16, rgb: new Uint8Array(768).fill(200) });
const jpeg = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16, 74, 70, 73, 70, 0, 1, 13, 10, 45, 45]);
const webp = Buffer.from("RIFF\x10\0\0\0WEBPVP8 somebytes", "latin1");

const formOf = formsOf("image/png");
const send = (parts: Parts, path = "/v1/images/edits", with_ = key) =>
  app.call(path, { key: with_, body: formOf(parts) });
const usual = [
  ["image", [png, "a.png"]],
  ["model", "by-image"],
  ["prompt", "a red hat"],
] as const;

describe("an edit of images", () => {
  test("arrives at the upstream as it was sent: fields in order, then the files with names, types and bytes", async () => {
    upstream.answer(answer(2));
    const response = await send([
      ["n", "2"],
      ["image[]", [png, "ä.png"]],
      ["prompt", "a red hat – é"],
      ["image[]", [jpeg, 'b".jpg', "application/octet-stream"]],
      ["mask", [png, "mask.png"]],
      ["model", "by-image"],
      ["image[]", [webp, "c.webp", "image/webp"]],
      ["size", "1024x1536"],
      ["input_fidelity", "high"],
      ["seed", "7"],
      ["user", "end-user-1"],
    ]);
    expect([response.status, await response.json()]).toEqual([200, await answer(2)().json()]);
    const latin = (text: string) => Buffer.from(text).toString("latin1");
    expect(upstream.seen.at(-1)).toEqual({
      path: "/v1/images/edits",
      key: "Bearer sk-upstream",
      body: formText(
        [
          ["model", "my-edits"],
          ["n", "2"],
          ["prompt", latin("a red hat – é")],
          ["size", "1024x1536"],
          ["input_fidelity", "high"],
          ["seed", "7"],
          ["user", "end-user-1"],
        ],
        [
          ["image[]", latin("ä.png"), "image/png", png],
          ["image[]", "b%22.jpg", "image/jpeg", jpeg],
          ["mask", "mask.png", "image/png", png],
          ["image[]", "c.webp", "image/webp", webp],
        ],
      ),
    });
    expect(response.headers.get("x-gw-response-cost")).toBe("0.08");
    expect(response.headers.get("x-gw-model-group")).toBe("by-image");
    expect(await books.last()).toMatchObject({
      ...{ operation: "image_edit", endpoint: "/v1/images/edits", status: "succeeded", endUser: "end-user-1" },
      ...{ images: 2, cost: 80_000_000n, estimated: false, requestedModel: "by-image" },
    });
  });

  test("with one picture keeps its name, and one called `image` twice is a list", async () => {
    upstream.answer(answer(1));
    await send(usual);
    expect(upstream.seen.at(-1)?.body).toContain('name="image"; filename="a.png"');
    await send([...usual, ["image", [png, "b.png"]]]);
    expect(upstream.seen.at(-1)?.body.match(/name="image\[\]"/g)).toHaveLength(2);
  });

  test("by tokens is charged by what the upstream counted, and brings the deployment's own wishes", async () => {
    upstream.answer(answer(1));
    const response = await send([
      ["image", [png, "a.png"]],
      ["prompt", "x"],
      ["model", "by-token"],
    ]);
    expect(response.status).toBe(200);
    // 300 tokens at 5,000 nano-USD and 50 at 40,000.
    expect(await books.last()).toMatchObject({ promptTokens: 300, completionTokens: 50, cost: 3_500_000n });
    expect(upstream.seen.at(-1)?.body).toContain('name="quality"\r\n\r\nhigh\r\n');
  });

  test("sets aside what the pictures may come to", async () => {
    upstream.answer(answer(1));
    await send([
      ["image", [png, "a.png"]],
      ["prompt", "x"],
      ["model", "by-token"],
    ]);
    const one = books.held.at(-1)?.amount ?? 0n;
    await send([
      ["image", [png, "a.png"]],
      ["image", [png, "b.png"]],
      ["prompt", "x"],
      ["model", "by-token"],
    ]);
    expect((books.held.at(-1)?.amount ?? 0n) - one).toBe((765n + 6_240n) * 5_000n);
  });

  test("is sent again whole to the same deployment and to a group that stands in", async () => {
    const before = upstream.seen.length;
    upstream.answer(failing, failing, failing, answer(1));
    const response = await app.call("/v1/images/edits", {
      key,
      headers: { "x-gw-num-retries": "2" },
      body: formOf([
        ["image", [png, "a.png"]],
        ["mask", [png, "m.png"]],
        ["prompt", "x"],
        ["model", "by-token"],
      ]),
    });
    expect([response.status, response.headers.get("x-gw-model-group")]).toEqual([200, "by-image"]);
    const tries = upstream.seen.slice(before);
    expect(tries).toHaveLength(4);
    const files = [
      ["image", "a.png", "image/png", png],
      ["mask", "m.png", "image/png", png],
    ] as const;
    const first = formText(
      [
        ["model", "gpt-image-1.5"],
        ["prompt", "x"],
        ["quality", "high"],
      ],
      files,
    );
    for (const one of tries.slice(0, 3)) expect(one.body).toBe(first);
    expect(tries[3]?.body).toBe(
      formText(
        [
          ["model", "my-edits"],
          ["prompt", "x"],
        ],
        files,
      ),
    );
    expect(await books.last()).toMatchObject({ status: "succeeded", cost: 40_000_000n });
  });

  test("goes to a deployment at Azure under its path, with its key", async () => {
    upstream.answer(answer(1));
    const response = await send([
      ["image", [png, "a.png"]],
      ["prompt", "x"],
      ["model", "azure-edits"],
    ]);
    expect(response.status).toBe(200);
    expect(upstream.seen.at(-1)).toMatchObject({
      path: "/openai/deployments/pictures/images/edits?api-version=2025-04-01-preview",
      key: "k",
    });
  });

  test("of a provider that has none is refused, and nothing is charged", async () => {
    const response = await send([
      ["image", [png, "a.png"]],
      ["prompt", "x"],
      ["model", "chat-only"],
    ]);
    expect([response.status, await response.json()]).toEqual([
      400,
      { error: expect.objectContaining({ param: "model", message: "Anthropic does not serve edits of images." }) },
    ]);
    expect(await books.last()).toMatchObject({ status: "failed", cost: 0n });
  });

  test("has its prompt looked at by guardrails before anything is sent", async () => {
    const before = upstream.seen.length;
    const response = await send([
      ["image", [png, "a.png"]],
      ["prompt", "a falcon"],
      ["model", "by-image"],
      ["guardrails", '["words"]'],
    ]);
    expect([response.status, upstream.seen.length]).toEqual([400, before]);
    expect(await response.text()).toContain("content_policy_violation");
  });
});

describe("the offline model", () => {
  const image = async (parts: Parts, path?: string) => {
    const response = await send([["image", [png, "a.png"]], ["prompt", "a hill"], ...parts], path);
    const text = await response.text();
    expect(`${response.status} ${text.slice(0, 300)}`).toStartWith("200 ");
    return JSON.parse(text) as { data: { b64_json: string }[]; size: string; usage: { input_tokens: number } };
  };

  test.each([
    "/v1/images/edits",
    "/images/edits",
    "/openai/deployments/echo-image/images/edits?api-version=2025-04-01-preview",
  ])("draws over the picture under %s, the same each time", async (path) => {
    // Where the path names the model, it wins over the form.
    const made = await image([["model", path.startsWith("/openai") ? "none" : "echo-image"]], path);
    expect(made).toMatchObject({ size: "16x16", usage: { input_tokens: 3, output_tokens: 1 } });
    expect((await image([["model", "echo-image"]])).data).toEqual(made.data);
    expect(
      (
        await image([
          ["model", "echo-image"],
          ["mask", [png, "m.png"]],
        ])
      ).data,
    ).not.toEqual(made.data);
    expect(await books.last()).toMatchObject({
      operation: "image_edit",
      images: 1,
      cost: 1_000_000n,
      estimated: false,
    });
  });

  test("is asked only by name: without one it is the first group that draws", async () => {
    upstream.answer(answer(1));
    const response = await send([usual[0], usual[2]]);
    expect([response.status, response.headers.get("x-gw-model-group")]).toEqual([200, "by-image"]);
  });
});

describe("what an edit may not be", () => {
  const big = Buffer.concat([png, Buffer.alloc(5 * 1024 * 1024)]);
  const images = Array.from({ length: 17 }, (_, index) => ["image[]", [png, `${index}.png`]] as const);
  test.each<[string, Parts, number, string, string]>([
    ["no picture", usual.slice(1), 422, "image", "Field required"],
    ["a picture that is text", [["image", "a.png"], ...usual.slice(1)], 422, "image", "as a file"],
    ["an empty picture", [["image", [new Uint8Array(), "a.png"]], ...usual.slice(1)], 400, "image", "is empty"],
    [
      "another kind of file",
      [["image", [Buffer.from("GIF89a.........."), "a.gif", "image/gif"]], ...usual.slice(1)],
      400,
      "image",
      "PNG, JPEG or WebP",
    ],
    ["a mask that is no PNG", [...usual, ["mask", [jpeg, "m.png"]]], 400, "mask", "send a PNG"],
    ["two masks", [...usual, ["mask", [png, "m.png"]], ["mask", [png, "n.png"]]], 422, "mask", "Send one file"],
    ["a mask over its limit", [...usual, ["mask", [big, "m.png"]]], 413, "mask", "larger than 4194304 bytes"],
    ["seventeen pictures", [...usual.slice(1), ...images], 422, "image", "at most 16 files"],
    ["a file of another name", [...usual, ["picture", [png, "a.png"]]], 422, "picture", "there are `image`, `mask`"],
    ["no prompt", usual.slice(0, 2), 422, "prompt", "Field required"],
    ["an empty prompt", [...usual.slice(0, 2), ["prompt", ""]], 422, "prompt", "Field required"],
    ["a prompt given twice", [...usual, ["prompt", "other"]], 422, "prompt", "more than once"],
    ["a model given twice", [...usual, ["model", "echo-image"]], 422, "model", "more than once"],
    ["no number of pictures", [...usual, ["n", "many"]], 422, "n", "integer"],
    ["too many new pictures", [...usual, ["n", "11"]], 422, "n", "10"],
    ["new pictures in parts of a list", [...usual, ["n[]", "11"]], 422, "n", "one part"],
    ["a quality in parts of an object", [...usual, ["quality[of]", "high"]], 422, "quality", "one part"],
    ["a stream in parts", [...usual, ["stream[]", "true"]], 422, "stream", "one part"],
    ["pictures on the way in parts", [...usual, ["partial_images[]", "1"]], 422, "partial_images", "one part"],
    ["another model in parts", [...usual, ["model[]", "echo-image"]], 422, "model", "one part"],
    ["a wrong quality", [...usual, ["quality", "superb"]], 422, "quality", '"high"'],
    ["a wrong background", [...usual, ["background", "blue"]], 422, "background", '"opaque"'],
    ["a wrong fidelity", [...usual, ["input_fidelity", "middle"]], 422, "input_fidelity", '"low"'],
    ["a wrong format", [...usual, ["output_format", "bmp"]], 422, "output_format", '"webp"'],
    ["a wrong form of answer", [...usual, ["response_format", "raw"]], 422, "response_format", '"b64_json"'],
    ["a size that is none", [...usual, ["size", "large"]], 422, "size", "pattern"],
    ["a stream", [...usual, ["stream", "true"]], 400, "stream", "leave out `stream`"],
    ["parts of a stream", [...usual, ["partial_images", "2"]], 400, "partial_images", "leave out `partial_images`"],
    ["an address of the caller's", [...usual, ["api_base", "https://attacker.example"]], 403, "api_base", ""],
  ])("%s", async (_, parts, status, param, words) => {
    const before = upstream.seen.length;
    const response = await send(parts);
    const { error } = (await response.json()) as { error: { param: string; message: string } };
    expect([response.status, error.param, error.message]).toEqual([status, param, expect.stringContaining(words)]);
    expect(upstream.seen).toHaveLength(before);
  });

  test("nor may new images be streamed: nobody is asked for them, and nothing is charged", async () => {
    const before = [upstream.seen.length, books.ended.length];
    upstream.answer(() => new Response('data: {"type":"image_generation.completed","b64_json":"AAAA"}\n\n'));
    for (const asked of [{ stream: true }, { partial_images: 1 }, { partial_images: 1, stream: false }]) {
      const json = { model: "by-token", prompt: "x", ...asked };
      const response = await app.call("/v1/images/generations", { key, json });
      const [param] = Object.keys(asked);
      const message = expect.stringContaining(`leave out \`${param}\``);
      expect([response.status, await response.json()]).toEqual([
        400,
        { error: expect.objectContaining({ param, message }) },
      ]);
    }
    expect([upstream.seen.length, books.ended.length]).toEqual(before as [number, number]);
  });

  test("a picture over 50 MiB", async () => {
    const large = Buffer.alloc(50 * 1024 * 1024 + 1);
    png.copy(large);
    const response = await send([["image", [large, "a.png"]], ...usual.slice(1)]);
    expect([response.status, await response.json()]).toEqual([
      413,
      { error: expect.objectContaining({ param: "image" }) },
    ]);
  });

  test("with an Idempotency-Key, since it has files", async () => {
    const headers = { "idempotency-key": "edit" };
    expect((await app.call("/v1/images/edits", { key, headers, body: formOf(usual) })).status).toBe(400);
  });

  test("without a key, for a model that there is not, or that the key may not call", async () => {
    const { key: narrow } = await restrictedKey(app, ["echo-image"]);
    const asked = [401, 404, 403, 200];
    const calls = [
      send(usual, "/v1/images/edits", "sk-unknown"),
      send([usual[0], ["model", "none"], usual[2]]),
      send(usual, "/v1/images/edits", narrow),
      send([usual[0], ["model", "echo-image"], usual[2]], "/v1/images/edits", narrow),
    ];
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(asked);
  });

  test("more often than its deployment may be called", async () => {
    const parts = [usual[0], ["model", "slow"], usual[2]] as const;
    expect((await send(parts, "/v1/images/edits", MASTER_KEY)).status).toBe(200);
    expect((await send(parts, "/v1/images/edits", MASTER_KEY)).status).toBe(429);
  });

  test("without credit", async () => {
    const { credit } = books;
    books.credit = 0n;
    const response = await send(usual);
    books.credit = credit;
    expect(response.status).toBe(429);
    expect(await response.text()).toContain("insufficient_quota");
  });
});
