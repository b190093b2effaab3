import { afterEach, describe, expect, test } from "bun:test";
import { MASTER_KEY } from "../app.ts";
import { status, WELL } from "../upstreams/moody.ts";
import { type Balanced, balance } from "./balanced.ts";

let group: Balanced;
afterEach(() => group.stop());

const three = { a: {}, b: {}, c: {} };
const strategy = (routing_strategy: string, more: object = {}) => ({ routing_strategy, ...more });

describe("through the gateway", () => {
  test("simple-shuffle shares calls by weight", async () => {
    group = await balance({ a: { params: { weight: 0 } }, b: { params: { weight: 3 } } }, {});
    expect(await group.count(12)).toEqual({ b: 12 });
  });

  test("least-busy goes where the fewest calls are under way", async () => {
    group = await balance(three, strategy("least-busy"));
    const gate = Promise.withResolvers<void>();
    group.set({ kind: "wait", until: gate.promise }, "a", "c");
    const busy = [group.served({ model: "a" }), group.served({ model: "c" })];
    while (!group.upstreams.a?.calls || !group.upstreams.c?.calls) await Bun.sleep(1);
    expect(await group.count(9)).toEqual({ b: 9 });
    gate.resolve();
    expect(await Promise.all(busy)).toEqual(["a", "c"]);
  });

  test.each(["usage-based-routing", "usage-based-routing-v2"])("%s evens out the tokens of a minute", async (name) => {
    group = await balance(three, strategy(name));
    expect(await group.count(12)).toEqual({ a: 4, b: 4, c: 4 });
  });

  test.each([true, false])("latency-based-routing goes where answers come soonest (stream: %p)", async (stream) => {
    group = await balance(three, strategy("latency-based-routing"));
    for (const [id, ms] of [
      ["a", 900],
      ["b", 100],
      ["c", 500],
    ] as const)
      await group.slowly(id, ms, { stream });
    expect(await group.served({ stream })).toBe("b");
  });

  test("cost-based-routing takes the cheapest", async () => {
    const costs = (price: number) => ({
      info: { free: false, input_cost_per_token: price, output_cost_per_token: price },
    });
    group = await balance({ a: costs(0.003), b: costs(0.001), c: costs(0.002) }, strategy("cost-based-routing"));
    expect(await group.count(6)).toEqual({ b: 6 });
    group.set(status(500), "b");
    expect(await group.count(3)).toEqual({ c: 3 });
  });

  test("a group of three goes by peak latency without being told, and keeps away from a slow one", async () => {
    group = await balance(three, {});
    for (const [id, ms] of [
      ["a", 9_000],
      ["b", 100],
      ["c", 100],
    ] as const)
      await group.slowly(id, ms);
    // The choice between two equal deployments is random: 30 calls of one alone are not to be expected.
    const { a, ...others } = await group.count(30);
    expect(a).toBeUndefined();
    expect(Object.keys(others).sort()).toEqual(["b", "c"]);
    const listed = (await group.admin("GET", "/api/admin/deployments?group=g")).body as {
      data: { strategy: string }[];
    };
    expect(listed.data.map((one) => one.strategy)).toEqual(["peak-latency", "peak-latency", "peak-latency"]);
  });

  test("a group may have a strategy of its own", async () => {
    const own = { models: ["g"], routing_strategy: "usage-based-routing-v2" };
    group = await balance(three, strategy("simple-shuffle", { routing_groups: [own] }));
    expect(await group.count(9)).toEqual({ a: 3, b: 3, c: 3 });
  });

  test("levels are used in their order, the next when one is used up", async () => {
    group = await balance({ a: { params: { order: 2 } }, b: { params: { order: 1 } }, c: {} }, {});
    expect(await group.count(6)).toEqual({ b: 6 });
    group.set(status(500), "b");
    expect(await group.count(6)).toEqual({ a: 6 });
    group.set(status(500), "a");
    expect(await group.count(3)).toEqual({ c: 3 });
  });

  test("tags choose among the deployments of a group", async () => {
    const tags = (...names: string[]) => ({ params: { tags: names } });
    group = await balance({ a: tags("paid"), b: tags("free"), c: tags("default") }, { enable_tag_filtering: true });
    expect(await group.count(4, {}, { "x-gw-tags": "paid" })).toEqual({ a: 4 });
    expect(await group.count(4, { tags: ["free"] })).toEqual({ b: 4 });
    expect(await group.count(4)).toEqual({ c: 4 });
    expect(await group.count(4, { tags: ["other"] })).toEqual({ c: 4 });
  });

  test("a long prompt opens no deployment that its tags do not", async () => {
    const of = (tag: string, max_input_tokens: number) => ({ params: { tags: [tag] }, info: { max_input_tokens } });
    const settings = { enable_tag_filtering: true, enable_pre_call_checks: true };
    group = await balance({ a: of("paid", 100_000), b: of("free", 50), c: of("default", 50) }, settings);
    const long = { messages: [{ role: "user", content: "word ".repeat(500) }] };
    expect(await group.count(2, { ...long, tags: ["paid"] })).toEqual({ a: 2 });
    for (const body of [long, { ...long, tags: ["free"] }]) {
      const refused = await group.post(body);
      expect(await refused.json()).toMatchObject({ error: { name: "ContextWindowExceededError" } });
    }
  });

  test("a call that names a region stays there, whether or not anything else is checked before", async () => {
    group = await balance({ a: { params: { region_name: "eu" } }, b: { params: { region_name: "us" } }, c: {} }, {});
    expect(await group.count(12, {}, { "x-gw-region": "eu" })).toEqual({ a: 12 });
    group.set(status(500), "a");
    expect(await group.served({}, { "x-gw-region": "eu" })).toBe(502);
    group.set(WELL);
    const refused = await group.post({}, { "x-gw-region": "moon" });
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining("is in the region `moon`")]);
    expect(Object.keys(await group.count(40)).length).toBeGreaterThan(1);
  });

  test("a prompt goes where it fits, stays in its region, and asks for a schema where there is one", async () => {
    group = await balance(
      {
        a: { params: { region_name: "eu" }, info: { max_input_tokens: 50, supports_response_schema: true } },
        b: { params: { region_name: "us" }, info: { max_input_tokens: 100_000, supports_response_schema: false } },
      },
      { enable_pre_call_checks: true },
    );
    const messages = [{ role: "user", content: "word ".repeat(500) }];
    expect(await group.count(4, { messages })).toEqual({ b: 4 });
    expect(await group.count(4, {}, { "x-gw-region": "eu" })).toEqual({ a: 4 });
    for (const nothing of ["", "  "]) {
      expect((await group.post({}, { "x-gw-region": nothing })).status).toBe(200);
    }
    expect((await group.post({}, { "x-gw-region": "moon" })).status).toBe(400);
    const response_format = { type: "json_schema", json_schema: { name: "n", schema: { type: "object" } } };
    expect(await group.count(4, { response_format })).toEqual({ a: 4 });
    const refused = await group.post({ messages: [{ role: "user", content: "word ".repeat(200_000) }] });
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { error: { name: "ContextWindowExceededError" } },
    ]);
  });

  test("a prompt that is about as long as may be is not refused before who has the most room was asked", async () => {
    group = await balance(
      { a: { info: { max_input_tokens: 50 } }, b: { info: { max_input_tokens: 100 } } },
      { enable_pre_call_checks: true },
    );
    // 90 words are guessed at more than 100 tokens.
    const about = (words: number) => ({ messages: [{ role: "user", content: "word ".repeat(words) }] });
    expect(await group.count(6, about(90))).toEqual({ b: 6 });
    expect(await group.served(about(300))).toBe(400);
  });

  test("sessions stay with a deployment, and leave it when it rests", async () => {
    group = await balance(three, { optional_pre_call_checks: ["session_affinity"] });
    const headers = { "x-gw-session-id": "session-of-a-person" };
    const home = String(await group.served({}, headers));
    expect(await group.count(9, {}, headers)).toEqual({ [home]: 9 });
    group.set(status(401), home);
    const other = String(await group.served({}, headers));
    expect(other).not.toBe(home);
    expect(await group.count(6, {}, headers)).toEqual({ [other]: 6 });
    group.set(WELL, home);
    group.clock.step(5_000);
    await group.count(3, {}, headers);
    expect(await group.served({}, headers)).toBe(home);
  });

  test("prompts that begin alike go to the same deployment", async () => {
    group = await balance(three, { optional_pre_call_checks: ["prompt_caching"] });
    const begins = { role: "system", content: "a long instruction. ".repeat(300) };
    const homes = new Set<string | number>();
    for (let call = 0; call < 9; call++)
      homes.add(await group.served({ messages: [begins, { role: "user", content: `${call}` }] }));
    expect(homes.size).toBe(1);
  });

  const LONG = "a long instruction. ".repeat(300);
  const asked = (content: string) => ({ max_tokens: 5, messages: [{ role: "user", content }] });
  test.each<[string, string, (index: number) => object]>([
    ["the instructions of /v1/messages", "/v1/messages", (index) => ({ ...asked(`${index}`), system: LONG })],
    [
      "their blocks",
      "/v1/messages",
      (index) => ({
        ...asked(`${index}`),
        system: [{ type: "text", text: LONG, cache_control: { type: "ephemeral" } }],
      }),
    ],
    ["the messages of /v1/messages", "/v1/messages", (index) => asked(`${LONG}${index}`)],
    ["the text of /v1/completions", "/v1/completions", (index) => ({ prompt: `${LONG}${index}` })],
    ["several of them", "/v1/completions", (index) => ({ prompt: [LONG, `${index}`] })],
  ])("so do those whose beginning stands in %s", async (_where, path, fields) => {
    group = await balance(three, { optional_pre_call_checks: ["prompt_caching"] });
    const homes = new Set<string | null>();
    for (let call = 0; call < 12; call++) {
      const response = await group.app.call(path, { key: MASTER_KEY, json: { model: "g", ...fields(call) } });
      await response.text();
      homes.add(response.headers.get("x-gw-model-id"));
    }
    expect([homes.size, homes.has(null)]).toEqual([1, false]);
  });
});

describe("a deployment that fails", () => {
  const two = { a: {}, b: {} };

  test("rests after five failures in a row, is probed by one call, and is back when that succeeds", async () => {
    group = await balance(two, { cooldown_time: 5 });
    const callsOfA = () => group.upstreams.a?.calls;
    group.set(status(500), "a");
    // However calls are shared, every one of them is answered.
    expect(await group.count(40)).toEqual({ b: 40 });
    expect(callsOfA()).toBe(5);
    const [seen] = ((await group.admin("GET", "/api/admin/deployments?state=resting")).body as { data: object[] }).data;
    expect(seen).toMatchObject({ id: "a", failures: 5, inFlight: 0 });
    group.clock.step(5_000);
    expect(await group.count(10)).toEqual({ b: 10 });
    expect(callsOfA()).toBe(6);
    group.clock.step(9_999);
    await group.count(10);
    expect(callsOfA()).toBe(6);
    group.clock.step(1);
    group.set(WELL, "a");
    expect(await group.served()).toBe("a");
    expect(Object.keys(await group.count(30)).sort()).toEqual(["a", "b"]);
  });

  test("with 429 rests for as long as it says; when all do, the caller is told how long", async () => {
    group = await balance(two, { num_retries: 1 });
    group.set(status(429, { retryAfter: "40" }), "a");
    group.set(status(429, { retryAfter: "20" }), "b");
    expect(await group.served()).toBe(429);
    const calls = () => Object.values(group.upstreams).reduce((sum, upstream) => sum + upstream.calls, 0);
    expect(calls()).toBe(2);
    group.clock.step(5_500);
    const refused = await group.post();
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "15"]);
    expect(calls()).toBe(2);
    group.set(WELL);
    group.clock.step(14_500);
    expect(await group.count(3)).toEqual({ b: 3 });
  });

  test("with 429 and asks for a moment is waited for, also where it is not the only one", async () => {
    group = await balance(two, { num_retries: 2 });
    group.set(status(429, { retryAfter: "0.05" }));
    const call = group.post();
    while (Object.values(group.upstreams).some(({ calls }) => calls === 0)) await Bun.sleep(1);
    group.set(WELL);
    const response = await call;
    expect([response.status, response.headers.get("x-gw-attempted-retries")]).toEqual([200, "2"]);
  });

  test("rests for as long as its own `cooldown_time` says, and no provider hears of that", async () => {
    const own = { a: { params: { cooldown_time: 40 } }, b: {} };
    group = await balance(own, { cooldown_time: 5, allowed_fails: 0 });
    group.set(status(500));
    for (const model of ["a", "b"]) expect(await group.served({ model, num_retries: 0 })).toBe(502);
    group.set(WELL);
    const states = async () => {
      const { body } = await group.admin("GET", "/api/admin/deployments?group=g");
      return (body as { data: { state: string }[] }).data.map(({ state }) => state);
    };
    expect(await states()).toEqual(["resting", "resting"]);
    group.clock.step(5_000);
    expect(await group.count(4)).toEqual({ b: 4 });
    group.clock.step(34_999);
    expect(await states()).toEqual(["resting", "well"]);
    group.clock.step(1);
    expect(await group.served()).toBe("a");
    expect("cooldown_time" in (group.upstreams.a?.seen ?? {})).toBe(false);
  });

  test("because of what callers send does not rest", async () => {
    group = await balance(two, { allowed_fails: 0 });
    group.set(status(400));
    expect(await group.count(12)).toEqual({ "400": 12 });
    const { body } = await group.admin("GET", "/api/admin/deployments?group=g");
    expect((body as { data: { state: string }[] }).data.map((one) => one.state)).toEqual(["well", "well"]);
  });

  test.each([
    [403, { error: { message: "You are not allowed to generate embeddings from this model" } }],
    [404, { error: { message: "This is not an embedding model" } }],
  ])("because it is asked for what its model is not for, and says %i, does not rest", async (code, body) => {
    group = await balance(two, {});
    const embed = () => group.app.call("/v1/embeddings", { key: MASTER_KEY, json: { model: "g", input: "x" } });
    const states = async () => {
      const { body: seen } = await group.admin("GET", "/api/admin/deployments?group=g");
      return (seen as { data: { state: string }[] }).data.map(({ state }) => state);
    };
    for (const model of ["a", "b"]) expect(await group.served({ model })).toBe(model);
    group.set(status(code, { body }));
    expect((await embed()).status).toBeGreaterThanOrEqual(400);
    expect(await states()).toEqual(["well", "well"]);
    // What it has answered before is what it is for.
    await group.post();
    expect(await states()).toEqual(["resting", "resting"]);
  });

  test.each([
    ["timeout", { timeout: 1 }, {}],
    ["x-gw-timeout", {}, { "x-gw-timeout": "1" }],
    ["x-gw-stream-timeout", { stream: true }, { "x-gw-stream-timeout": "1" }],
  ] as const)("to answer within the %s of one caller is there for the others", async (_name, fields, headers) => {
    group = await balance({ a: {} }, { allowed_fails: 0, num_retries: 0 });
    expect(await inVain(group, 1_001, fields, headers)).toBe(408);
    expect(await stateOfFirst(group)).toBe("well");
    // A caller with patience finds out what one in a hurry cannot.
    expect(await inVain(group, 30_001, { timeout: 30 }, {})).toBe(408);
    expect(await stateOfFirst(group)).toBe("resting");
  });

  test("with a key of the caller's own is there for the others", async () => {
    group = await balance({ a: { params: { configurable_clientside_auth_params: ["api_key"] } } }, { num_retries: 0 });
    group.set(status(401));
    expect(await group.served({ api_key: "sk-of-the-caller" })).toBe(502);
    expect(await stateOfFirst(group)).toBe("well");
    expect(await group.served()).toBe(502);
    expect(await stateOfFirst(group)).toBe("resting");
    group.set(WELL);
    expect(await group.served({ api_key: "sk-of-the-caller" })).toBe("a");
    expect(await stateOfFirst(group)).toBe("resting");
  });

  test("and is the only one is asked all the same", async () => {
    group = await balance({ a: {} }, { num_retries: 0 });
    group.set(status(500));
    expect(await group.count(9)).toEqual({ "502": 9 });
    group.set(WELL);
    expect(await group.served()).toBe("a");
  });
});

/** The status of a call to which the deployment `a` says nothing for so long. */
async function inVain(group: Balanced, ms: number, fields: object, headers: Record<string, string>) {
  group.set({ kind: "hang" });
  const came = (group.upstreams.a?.calls ?? 0) + 1;
  const call = group.served(fields, headers);
  while ((group.upstreams.a?.calls ?? 0) < came) await Bun.sleep(1);
  group.clock.step(ms);
  return call;
}

async function stateOfFirst(group: Balanced): Promise<string | undefined> {
  const { body } = await group.admin("GET", "/api/admin/deployments?group=g");
  return (body as { data: { state: string }[] }).data[0]?.state;
}
