import { afterAll, describe, expect, test } from "bun:test";
import { MASTER_KEY, startApp } from "../app.ts";
import { formsOf, type Parts, startFormUpstream } from "../gateway/form-upstream.ts";

const upstream = startFormUpstream([() => Response.json({ text: "a" })]);
const params = { api_base: `${upstream.origin}/v1`, api_key: "sk-upstream" };
const app = await startApp(
  JSON.stringify({
    model_list: [
      { model_name: "any", litellm_params: { model: "openai/mine", ...params }, model_info: { free: true } },
      {
        model_name: "hinted",
        litellm_params: { model: "openai/mine", ...params, additional_drop_params: ["hints[]"] },
        model_info: { free: true },
      },
    ],
    guardrails: [
      { guardrail_name: "pii", litellm_params: { guardrail: "pii", mode: "pre_call" } },
      { guardrail_name: "words", litellm_params: { guardrail: "word_list", mode: "pre_call", words: ["falcon"] } },
    ],
  }),
);
afterAll(async () => {
  await app.close();
  await upstream.stop();
});

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const sound: Parts[number] = ["file", [Buffer.from("sound"), "a.mp3", "audio/mpeg"]];
const picture: Parts[number] = ["image", [png, "a.png", "image/png"]];
const formOf = formsOf("audio/mpeg");

const OPERATIONS: [path: string, file: Parts[number], answer: object][] = [
  ["/v1/audio/transcriptions", sound, { text: "a" }],
  ["/v1/audio/translations", sound, { text: "a" }],
  ["/v1/images/edits", picture, { data: [{ b64_json: "aaaa" }] }],
];

async function send(
  path: string,
  file: Parts[number],
  answer: object,
  guardrail: string | null,
  parts: Parts,
  model = "any",
) {
  upstream.answer(() => Response.json(answer));
  const all: Parts = [
    file,
    ["model", model],
    ...(guardrail === null ? [] : [["guardrails", guardrail] as const]),
    ...parts,
  ];
  const before = upstream.seen.length;
  const response = await app.call(path, { key: MASTER_KEY, body: formOf(all) });
  const text = await response.text();
  const [sent] = upstream.seen.slice(before);
  const arrived = [...(sent?.body ?? "").matchAll(/form-data; name="([^"]*)"\r\n\r\n([\s\S]*?)\r\n--BOUNDARY/g)];
  return { status: response.status, text, arrived: arrived.map(([, name, value]) => [name, value]) };
}

describe.each(OPERATIONS)("every text of a form passes guardrails: %s", (path, file, answer) => {
  test("what is masked is masked in each part of a list, and comes in the form that is sent", async () => {
    const { status, arrived } = await send(path, file, answer, "pii", [
      ["prompt", "write to ann@example.com"],
      ["hints[]", "bob@example.com"],
      ["hints[]", "ann@example.com"],
      ["hint[person]", "cid@example.com"],
      ["hint", "dan@example.com"],
      ["hints[]", ""],
    ]);
    expect([status, arrived]).toEqual([
      200,
      [
        ["model", "mine"],
        ["prompt", "write to [EMAIL_2]"],
        ["hints[]", "[EMAIL_1]"],
        ["hints[]", "[EMAIL_2]"],
        ["hints[]", ""],
        ["hint[person]", "[EMAIL_3]"],
        ["hint", "[EMAIL_4]"],
      ],
    ]);
  });

  test.each<[string, Parts]>([
    ["the prompt", [["prompt", "a falcon"]]],
    [
      "the first of a list",
      [
        ["prompt", "x"],
        ["hints[]", "a falcon"],
        ["hints[]", "a lake"],
      ],
    ],
    [
      "the last of a list",
      [
        ["prompt", "x"],
        ["hints[]", "a lake"],
        ["hints[]", "a falcon"],
      ],
    ],
    [
      "a list beside one text of its name",
      [
        ["prompt", "x"],
        ["hints", "x"],
        ["hints[]", "a falcon"],
        ["hints[]", "a lake"],
      ],
    ],
    [
      "a field with a name in brackets",
      [
        ["prompt", "x"],
        ["hint[person]", "a falcon"],
      ],
    ],
  ])("what is refused is refused in %s, and nothing is sent", async (_, parts) => {
    const { status, text, arrived } = await send(path, file, answer, "words", parts);
    expect([status, arrived]).toEqual([400, []]);
    expect(text).toContain("content_policy_violation");
  });

  test.each(["guardrails[]", "metadata[guardrails][]", "litellm_metadata[guardrails][]"])(
    "official clients name guardrails as %s, and they look",
    async (name) => {
      const parts: Parts = [
        ["prompt", "ann@example.com"],
        [name, "words"],
        [name, "pii"],
      ];
      const { status, arrived } = await send(path, file, answer, null, parts);
      expect([status, arrived]).toEqual([
        200,
        [
          ["model", "mine"],
          ["prompt", "[EMAIL_1]"],
        ],
      ]);
    },
  );

  test("a list that a deployment's model does not take is left out of it", async () => {
    const parts: Parts = [
      ["prompt", "a lake"],
      ["hints[]", "one"],
      ["hints[]", "two"],
    ];
    const { arrived } = await send(path, file, answer, "pii", parts, "hinted");
    expect(arrived).toEqual([
      ["model", "mine"],
      ["prompt", "a lake"],
    ]);
  });
});
