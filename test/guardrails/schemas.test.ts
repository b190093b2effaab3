import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chat, FORMS, type GuardedApp, startGuarded } from "./guarded-app.ts";

const schema = {
  type: "object",
  properties: { to: { type: "string", format: "email" }, from: { enum: ["ann@example.com"] } },
  required: ["to"],
};
const guardrail = (guardrail_name: string, litellm_params: object) => ({ guardrail_name, litellm_params });
const FIELDS = {
  guardrails: ["personal data"],
  response_format: { type: "json_schema", json_schema: { name: "letter", schema } },
};

describe.each(FORMS)("an answer whose values were masked in the request (%s)", (form) => {
  let guarded: GuardedApp;
  beforeAll(async () => {
    guarded = await startGuarded([
      guardrail("personal data", { guardrail: "pii" }),
      guardrail("letters", { guardrail: "json_schema", mode: "post_call", schema }),
    ]);
  });
  afterAll(() => guarded.close());

  const ask = (to: string, fields: object) =>
    chat(guarded, form, `say: {"to": "${to}", "from": "ann@example.com"}`, { ...FIELDS, ...fields });

  test("is checked against the schema of its request with its values", async () => {
    const { status, text } = await ask("bob@example.com", { enable_json_schema_validation: true });
    expect({ status, text }).toEqual({ status: 200, text: '{"to": "bob@example.com", "from": "ann@example.com"}' });
    const unfit = await ask("nobody", { enable_json_schema_validation: true });
    expect(unfit.error?.name).toBe("JSONSchemaValidationError");
  });

  test.each([false, true])("and against that of a guardrail (stream: %p)", async (stream) => {
    const guardrails = ["personal data", "letters"];
    const { error, text } = await ask("bob@example.com", { guardrails, stream });
    expect(error).toBeNull();
    expect(text).toBe('{"to": "bob@example.com", "from": "ann@example.com"}');
    expect(guarded.seen.at(-1)).not.toContain("bob@");
    const unfit = await ask("nobody", { guardrails, stream });
    expect(unfit.error?.name).toBe("ContentPolicyViolationError");
  });
});
