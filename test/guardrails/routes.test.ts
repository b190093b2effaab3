import { afterAll, describe, expect, test } from "bun:test";
import { MASTER_KEY } from "../app.ts";
import { startGuarded } from "./guarded-app.ts";

const world = await startGuarded([
  {
    guardrail_name: "personal data",
    litellm_params: { guardrail: "pii", mode: "pre_call" },
    guardrail_info: { owner: "legal" },
  },
  {
    guardrail_name: "judge",
    litellm_params: { guardrail: "webhook", api_base: "$HOOK", secret: "a-signing-secret", mode: "post_call" },
  },
]);
afterAll(() => world.close());
const post = async (json: object) => {
  const response = await world.app.call("/api/admin/guardrails/test", { key: MASTER_KEY, json });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};

describe("trying a guardrail", () => {
  test("by its name tells what it finds, where, and what would be sent", async () => {
    const { body } = await post({ name: "personal data", text: "Write to bob@example.com!" });
    expect(body).toEqual({
      name: "personal data",
      action: "mask",
      blocked: false,
      findings: [{ category: "email", start: 9, end: 24 }],
      maskedText: "Write to [EMAIL_1]!",
    });
  });

  test("numbers and addresses are found as typeset texts write them", async () => {
    const text = "4111\u00a01111\u00a01111\u00a01111, +49\u202f30\u202f901820, 123\u201145\u20116789, jörg@bücher.de";
    expect((await post({ name: "personal data", text })).body).toMatchObject({
      maskedText: "[CREDIT_CARD_1], [PHONE_1], [US_SSN_1], [EMAIL_1]",
    });
  });

  test("by a definition, of kinds that ask nobody", async () => {
    const definition = { guardrail: "regex", patterns: [{ name: "employee", pattern: "EMP-[0-9]{4}" }] };
    expect((await post({ definition, text: "EMP-1234" })).body).toMatchObject({
      name: null,
      action: "block",
      blocked: true,
      findings: [{ category: "employee", start: 0, end: 8 }],
      maskedText: null,
    });
    expect((await post({ definition, text: "nobody" })).body).toMatchObject({ blocked: false, findings: [] });
  });

  test("asks who would be asked", async () => {
    world.judge.answer = () => Response.json({ findings: [{ category: "bird" }] });
    expect((await post({ name: "judge", text: "a falcon" })).body).toMatchObject({
      blocked: true,
      findings: [{ category: "bird", start: null, end: null }],
    });
    world.judge.answer = () => new Response("", { status: 500 });
    expect((await post({ name: "judge", text: "a falcon" })).status).toBe(503);
  });

  test.each([
    [{ text: "x" }, 400],
    [{ name: "personal data", definition: { guardrail: "pii" }, text: "x" }, 400],
    [{ name: "other", text: "x" }, 404],
    [{ definition: { guardrail: "plugin", module: "/etc/passwd" }, text: "x" }, 400],
    [{ definition: { guardrail: "webhook", api_base: "http://127.0.0.1", secret: "s" }, text: "x" }, 400],
    [{ definition: { guardrail: "regex", patterns: ["(?=a)"] }, text: "x" }, 400],
    [{ definition: { guardrail: "regex" }, text: "x" }, 400],
    [{ definition: { guardrail: "pii", entities: ["shoes"] }, text: "x" }, 400],
    [{ definition: { guardrail: "json_schema", mode: "post_call", schema: { $ref: "#" } }, text: "{}" }, 400],
    [{ definition: { guardrail: "pii" } }, 400],
  ])("%j is %p", async (json, status) => expect((await post(json)).status).toBe(status));
});

test.each(["/api/admin/guardrails", "/api/admin/guardrails/test"])(
  "who brings a guardrail of another gateway's to %s is told what does the same here",
  async (path) => {
    const told = async (definition: object): Promise<string> => {
      const rest = path.endsWith("test") ? { text: "x" } : { name: "brought" };
      const response = await world.app.call(path, { key: MASTER_KEY, json: { definition, ...rest } });
      return `${response.status} ${((await response.json()) as { error: string }).error}`;
    };
    expect(await told({ guardrail: "presidio" })).toMatch(/^400 .*`presidio` is not served; `pii` does the same here/);
    expect(await told({ guardrail: "Lakera_v2" })).toContain("`webhook` can ask it");
    expect(await told({ guardrail: "pii", pii_entities_config: { EMAIL_ADDRESS: "MASK" } })).toMatch(
      /^400 .*no field "pii_entities_config"; `entities` lists what is looked for/,
    );
    expect(await told({ guardrail: "pji" })).toContain('should be one of "secrets", "pii"');
  },
);

test("lists show names and kinds, and no secret", async () => {
  const own = await world.app.call("/api/admin/guardrails", { key: MASTER_KEY });
  const text = await own.text();
  expect(JSON.parse(text)).toMatchObject({
    data: [
      {
        id: "personal data",
        kind: "pii",
        modes: ["pre_call"],
        defaultOn: false,
        action: "mask",
        info: { owner: "legal" },
      },
      { name: "judge", kind: "webhook", action: "block" },
    ],
    meta: { total: 2 },
  });
  expect(text).not.toContain("a-signing-secret");
  for (const path of ["/guardrails/list", "/v2/guardrails/list"]) {
    const listed = await (await world.app.call(path, { key: world.key })).text();
    expect(JSON.parse(listed).guardrails[0]).toEqual({
      guardrail_name: "personal data",
      litellm_params: { guardrail: "pii", mode: ["pre_call"], default_on: false },
      guardrail_info: { owner: "legal" },
    });
    expect(listed).not.toContain("a-signing-secret");
  }
});
