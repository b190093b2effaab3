import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type CacheQuestion, cacheKey, tenantOf, topicOf } from "./cache-key.ts";

const messages = [
  { role: "system", content: "Be brief." },
  { role: "user", content: "What is a turnpike?" },
];
const question = (fields: object = {}, rest: Partial<CacheQuestion> = {}): CacheQuestion => ({
  tenant: "organization:1",
  namespace: "",
  operation: "chat",
  group: "echo",
  model: "echo",
  route: [],
  fields: { model: "echo", messages, ...fields },
  ...rest,
});
const base = cacheKey(question());

describe("the name of an answer", () => {
  test.each([
    ["the order of fields", { fields: { messages, model: "echo" } }],
    [
      "the order of keys in a message",
      { fields: { model: "echo", messages: messages.map(({ role, content }) => ({ content, role })) } },
    ],
    ["a field without a value", { fields: { model: "echo", messages, temperature: null, top_p: undefined } }],
    [
      "what only steers the gateway",
      {
        fields: {
          model: "echo",
          messages,
          metadata: { a: 1 },
          tags: ["x"],
          caching: true,
          cache: { ttl: 5 },
          timeout: 9,
          num_retries: 3,
          fallbacks: ["other"],
        },
      },
    ],
  ])("does not depend on %s", (_, rest) => {
    expect(cacheKey(question({}, rest))).toBe(base);
  });

  const schema = (first: string, second: string) => ({
    type: "json_schema",
    json_schema: { schema: { properties: { [first]: { type: "string" }, [second]: { type: "string" } } } },
  });

  test.each([
    ["stream", question({ stream: true })],
    ["stream_options", question({ stream_options: { include_usage: true } })],
    ["temperature", question({ temperature: 0 })],
    ["seed", question({ seed: 1 })],
    ["tools", question({ tools: [{ type: "function", function: { name: "f" } }] })],
    ["response_format", question({ response_format: schema("a", "b") })],
    ["a field that only the provider knows", question({ top_k: 5 })],
    ["extra_body", question({ extra_body: { top_k: 5 } })],
    ["user", question({ user: "somebody" })],
    ["drop_params", question({ drop_params: true })],
    ["a summary of the thoughts", question({ reasoning_summary: "auto" })],
    ["guardrails", question({ guardrails: ["pii"] })],
    ["a message more", question({ messages: [...messages, { role: "user", content: "?" }] })],
    ["the order of messages", question({ messages: messages.toReversed() })],
    ["the tenant", question({}, { tenant: "organization:2" })],
    ["the namespace", question({}, { namespace: "mine" })],
    ["the operation", question({}, { operation: "completion" })],
    ["the group", question({}, { group: "other" })],
    ["the name that was asked for", question({}, { model: "alias" })],
  ])("depends on %s", (_, other) => {
    expect(cacheKey(other)).not.toBe(base);
    expect(cacheKey(other)).toMatch(/^(mine:)?[0-9a-f]{64}$/);
  });

  test("depends on the order of a schema's fields, which is the order of the answer's", () => {
    const [one, two] = [schema("a", "b"), schema("b", "a")];
    expect(cacheKey(question({ response_format: one }))).not.toBe(cacheKey(question({ response_format: two })));
  });

  test("is the same for the same fields in any order, and only for those", () => {
    const fields = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 30, size: "medium" });
    fc.assert(
      fc.property(fields, fields, (one, two) => {
        const turned = Object.fromEntries(Object.entries(one).toReversed());
        const nameOf = (extra: object) => cacheKey(question({ extra_fields: extra }));
        expect(nameOf(turned)).toBe(nameOf(one));
        if (!Bun.deepEquals(plain(one), plain(two), true)) expect(nameOf(two)).not.toBe(nameOf(one));
      }),
    );
  });

  test("cannot be made to meet another's by words that look like its parts", () => {
    const nameOf = (tenant: string, namespace: string) => cacheKey(question({}, { tenant, namespace }));
    expect(nameOf("a", 'b","c').split(":").at(-1)).not.toBe(nameOf('a","b', "c").split(":").at(-1));
  });
});

/** As JSON has it: without -0. */
const plain = (value: object): unknown => JSON.parse(JSON.stringify(value));

describe("a tenant", () => {
  const caller = { organizationId: "7", teamId: "8", keyId: "9" };
  test("is the organization, the team, the key or everybody", () => {
    expect(tenantOf("organization", caller)).toBe("organization:7");
    expect(tenantOf("team", caller)).toBe("team:8");
    expect(tenantOf("key", caller)).toBe("key:9");
    expect(tenantOf("global", caller)).toBe("global");
  });

  test("of who belongs to none is the key alone", () => {
    const nobody = { organizationId: null, teamId: null, keyId: "master" };
    for (const scope of ["organization", "team", "key"] as const) expect(tenantOf(scope, nobody)).toBe("key:master");
  });
});

describe("a topic", () => {
  const ask = (content: unknown, fields: object = {}) =>
    topicOf(question({ messages: [messages[0], { role: "user", content }], ...fields }), "vectors");

  test("is the last words, apart from everything before them", () => {
    const [one, two] = [ask("What is a turnpike?"), ask([{ type: "text", text: "A turnpike, what is it?" }])];
    expect([one?.text, two?.text]).toEqual(["What is a turnpike?", "A turnpike, what is it?"]);
    expect(one?.bucket).toBe(two?.bucket as string);
    expect(ask("What is a turnpike?", { temperature: 1 })?.bucket).not.toBe(one?.bucket as string);
    const other = [{ role: "system", content: "Be long." }, messages[1]];
    expect(topicOf(question({ messages: other }), "vectors")?.bucket).not.toBe(one?.bucket as string);
    expect(topicOf(question({}, { tenant: "organization:2" }), "vectors")?.bucket).not.toBe(one?.bucket as string);
    const asked = question({ messages: [messages[0], { role: "user", content: "x" }] });
    expect(topicOf(asked, "other vectors")?.bucket).not.toBe(topicOf(asked, "vectors")?.bucket as string);
  });

  test.each([
    ["a picture", { messages: [{ role: "user", content: [{ type: "image_url", image_url: "x" }] }] }],
    ["an answer of a tool", { messages: [{ role: "tool", content: "x" }] }],
    ["no words", { messages: [{ role: "user", content: " " }] }],
    ["no messages", { messages: [] }],
  ])("is not found in %s", (_, fields) => {
    expect(topicOf(question(fields), "vectors")).toBeNull();
    expect(topicOf(question({}, { operation: "embedding" }), "vectors")).toBeNull();
  });
});
