import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { newPerson } from "../accounts/people.ts";
import { MASTER_KEY, startApp } from "../app.ts";
import { errorFormat } from "../gateway-admin/face.ts";
import { MemoryBooks } from "../metering/memory-books.ts";
import { SteppedClock } from "../stepped-clock.ts";
import { Moody, status, WELL } from "../upstreams/moody.ts";

const upstream = new Moody("model");
const broken = new Moody("broken");
broken.mood = status(500);
const clock = new SteppedClock();
const books = new MemoryBooks();
const entry = (model_name: string, address = upstream.address) => ({
  model_name,
  litellm_params: { model: "hosted_vllm/m", api_base: address },
  model_info: { input_cost_per_token: 0.000001, output_cost_per_token: 0.000001 },
});
const app = await startApp(
  JSON.stringify({
    model_list: [
      ...[entry("fast"), entry("slow"), entry("other"), entry("broken", broken.address)],
      {
        model_name: "openai/*",
        litellm_params: { model: "openai/*", api_base: upstream.address, api_key: "k" },
        model_info: { input_cost_per_token: 0.000001, output_cost_per_token: 0.000001 },
      },
    ],
    general_settings: { end_user_limits: { rpm: 2 } },
    router_settings: {
      num_retries: 0,
      disable_cooldowns: true,
      model_group_alias: { nickname: "openai/gpt-4o" },
    },
  }),
  null,
  clock,
  { ledger: books },
);
afterAll(async () => {
  await app.close();
  await Promise.all([upstream.stop(), broken.stop()]);
});
beforeEach(() => {
  upstream.mood = WELL;
  clock.step(120_000);
});

const operator = errorFormat(app, MASTER_KEY);
const owner = await newPerson(app);
const own = errorFormat(app, owner.token);
const [first] = await app.storage.accounts.teams.list(owner.ownId);
const ownTeam = first?.team.id ?? "";
const newTeam = async (more: object = {}): Promise<string> =>
  (await own.post("/team/new", { team_alias: "team", organization_id: owner.ownId, ...more })).body.team_id;
const newKey = async (more: object = {}, teamId = ownTeam): Promise<{ id: string; key: string }> =>
  (await own.post("/api/gw/api-keys", { name: crypto.randomUUID(), teamId, ...more })).body;

interface Said {
  readonly status: number;
  readonly headers: Headers;
  readonly body: { error?: { message: string; code: string } };
}
async function call(key: string, fields: object = {}, headers: Record<string, string> = {}): Promise<Said> {
  const json = { model: "fast", messages: [{ role: "user", content: "who?" }], ...fields };
  const response = await app.call("/v1/chat/completions", { key, json, headers });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text.startsWith("{") ? JSON.parse(text) : {} };
}
async function statuses(key: string, times: number, fields: object = {}): Promise<number[]> {
  const all: number[] = [];
  for (let i = 0; i < times; i++) all.push((await call(key, fields)).status);
  return all;
}

describe("a limit of requests a minute", () => {
  test("of a key lets in exactly so many, says what is left, and lets in again when told to come back", async () => {
    const { key } = await newKey({ rpmLimit: 3 });
    const left: (string | null)[] = [];
    for (let i = 0; i < 3; i++) left.push((await call(key)).headers.get("x-ratelimit-remaining-requests"));
    expect(left).toEqual(["2", "1", "0"]);
    const refused = await call(key);
    expect(refused.status).toBe(429);
    expect(refused.body.error).toMatchObject({ code: "rate_limit_exceeded" });
    expect(refused.body.error?.message).toStartWith(
      "Rate limit exceeded for this key: 3 requests a minute. Try again in ",
    );
    // What the key may do is told with a refusal as with an answer.
    expect(refused.headers.get("x-gw-key-rpm-limit")).toBe("3");
    const retryAfter = Number(refused.headers.get("retry-after"));
    expect(retryAfter).toBeGreaterThanOrEqual(60);
    expect(retryAfter).toBeLessThanOrEqual(61);
    expect(Object.fromEntries(refused.headers)).toMatchObject({
      "x-ratelimit-limit-requests": "3",
      "x-ratelimit-remaining-requests": "0",
      "x-ratelimit-reset-requests": `${retryAfter}s`,
      "x-ratelimit-api_key-limit-requests": "3",
      "x-ratelimit-api_key-remaining-requests": "0",
    });
    clock.step((retryAfter - 2) * 1000);
    expect((await call(key)).status).toBe(429);
    clock.step(2_000);
    expect(await statuses(key, 4)).toEqual([200, 200, 200, 429]);
  });

  test("also holds for streams, whose headers tell what is left", async () => {
    const { key } = await newKey({ rpmLimit: 1 });
    const streamed = await call(key, { stream: true });
    expect(streamed.headers.get("content-type")).toContain("text/event-stream");
    expect(streamed.headers.get("x-ratelimit-remaining-requests")).toBe("0");
    expect((await call(key, { stream: true })).status).toBe(429);
  });

  test("of a key and a model is for that model alone", async () => {
    const { key } = await newKey({ modelLimits: { fast: { rpm: 1 } } });
    const once = await call(key);
    expect(once.headers.get("x-gw-key-remaining-requests-fast")).toBe("0");
    expect(once.headers.get("x-ratelimit-model_per_key-limit-requests")).toBe("1");
    const refused = await call(key);
    expect(refused.status).toBe(429);
    expect(refused.body.error?.message).toContain("this key and the model `fast`");
    expect(await statuses(key, 3, { model: "slow" })).toEqual([200, 200, 200]);
  });

  test.each(["openai/gpt-4o", "gpt-4o"])(
    "of a key and %s, a model behind a pattern, holds by all its names",
    async (limited) => {
      const { key } = await newKey({ modelLimits: { [limited]: { rpm: 3 } }, aliases: { mine: "openai/gpt-4o" } });
      for (const model of ["openai/gpt-4o", "gpt-4o", "nickname"]) {
        expect([model, ...(await statuses(key, 1, { model }))]).toEqual([model, 200]);
      }
      for (const model of ["mine", "nickname", "gpt-4o", "openai/gpt-4o"]) {
        expect([model, ...(await statuses(key, 1, { model }))]).toEqual([model, 429]);
      }
      expect(await statuses(key, 1, { model: "broken", fallbacks: ["nickname"] })).toEqual([502]);
      expect(await statuses(key, 2, { model: "openai/gpt-4o-mini" })).toEqual([200, 200]);
    },
  );

  test("of a key and `*` is of each model without an entry of its own, by whatever name it is called", async () => {
    const { key } = await newKey({ modelLimits: { "*": { rpm: 2 }, slow: { rpm: 3 } }, aliases: { swift: "fast" } });
    const told = await call(key, { model: "swift" });
    expect([told.status, told.headers.get("x-gw-key-remaining-requests-fast")]).toEqual([200, "1"]);
    expect(await statuses(key, 2)).toEqual([200, 429]);
    expect((await call(key)).body.error?.message).toContain("this key and the model `fast`: 2 requests a minute");
    expect(await statuses(key, 4, { model: "slow" })).toEqual([200, 200, 200, 429]);
    // Models behind one pattern of the configuration are one.
    expect(await statuses(key, 1, { model: "openai/gpt-4o" })).toEqual([200]);
    expect(await statuses(key, 2, { model: "openai/gpt-4o-mini" })).toEqual([200, 429]);
    const fields = { model: "broken", fallbacks: ["other"] };
    expect(await statuses(key, 3, fields)).toEqual([200, 200, 429]);
  });

  test("of a key and a pattern is of each model that it fits, and the more exact entry holds", async () => {
    const modelLimits = { "*": { rpm: 4 }, "s*": { rpm: 1 }, "openai/*": { rpm: 3 }, "openai/gpt-4*": { rpm: 2 } };
    const { key } = await newKey({ modelLimits: { ...modelLimits, "openai/gpt-4o": { rpm: 1 } } });
    expect(await statuses(key, 2, { model: "slow" })).toEqual([200, 429]);
    expect(await statuses(key, 5)).toEqual([200, 200, 200, 200, 429]);
    expect(await statuses(key, 2, { model: "nickname" })).toEqual([200, 429]);
    expect(await statuses(key, 1, { model: "gpt-4.1" })).toEqual([200]);
    expect(await statuses(key, 2, { model: "openai/gpt-4" })).toEqual([200, 429]);
    expect(await statuses(key, 4, { model: "o3" })).toEqual([200, 200, 200, 429]);
  });

  test("of a key and a model has its requests by one entry and its tokens by another, where two maps were given", async () => {
    const limits = { model_rpm_limit: { fast: 2 }, model_tpm_limit: { "*": 1000 } };
    const made = await operator.post("/key/generate", { team_id: ownTeam, ...limits });
    const { headers } = await call(made.body.key);
    expect(headers.get("x-ratelimit-model_per_key-limit-requests")).toBe("2");
    expect(headers.get("x-ratelimit-model_per_key-limit-tokens")).toBe("1000");
  });

  test("of a key and a model also holds where that model stands in for another", async () => {
    const { key } = await newKey({ modelLimits: { fast: { rpm: 2 } } });
    const fields = { model: "broken", fallbacks: ["fast"] };
    expect(await statuses(key, 2, fields)).toEqual([200, 200]);
    const refused = await call(key, fields);
    expect(refused.status).toBe(502);
    // It is not the model that did not answer: the caller has to wait.
    expect(refused.body.error?.message).toMatch(
      /`fast` was not asked in its place: Rate limit exceeded for this key and the model `fast`: 2 requests a minute\. Try again in \d+ seconds\.$/,
    );
    expect(refused.body.error?.message).not.toContain("either");
    expect(refused.headers.get("x-gw-attempted-fallbacks")).toBe("0");
    expect((await call(key)).status).toBe(429);
    expect(await statuses(key, 1, { ...fields, fallbacks: ["fast", "slow"] })).toEqual([200]);
  });

  test("of tokens of a model is set right by what it used in place of another, or given back", async () => {
    const { key } = await newKey({ modelLimits: { fast: { tpm: 100 } } });
    const fields = { model: "broken", fallbacks: ["fast"], max_tokens: 90 };
    expect(await statuses(key, 2, fields)).toEqual([200, 502]);
    upstream.mood = status(500);
    expect(await statuses(key, 1, { ...fields, max_tokens: 40 })).toEqual([502]);
    upstream.mood = WELL;
    expect(await statuses(key, 1, { ...fields, max_tokens: 60 })).toEqual([200]);
  });

  test("of a team is shared by its keys, and those of other teams have their own", async () => {
    const [limited, free] = [await newTeam({ rpm_limit: 2 }), await newTeam()];
    const [one, two, other] = [await newKey({}, limited), await newKey({}, limited), await newKey({}, free)];
    expect([...(await statuses(one.key, 1)), ...(await statuses(two.key, 1))]).toEqual([200, 200]);
    const refused = await call(one.key);
    expect(refused.body.error?.message).toContain("your team: 2 requests a minute");
    expect(refused.headers.get("x-ratelimit-team-remaining-requests")).toBe("0");
    expect(await statuses(other.key, 3)).toEqual([200, 200, 200]);
  });

  test("of a member of a team, of a user and of an organization each hold", async () => {
    const person = await newPerson(app);
    const theirs = errorFormat(app, person.token);
    const [team] = await app.storage.accounts.teams.list(person.ownId);
    const teamId = team?.team.id ?? "";
    const key = async () =>
      (await theirs.post("/api/gw/api-keys", { name: crypto.randomUUID(), teamId })).body.key as string;
    const keys = [await key(), await key()] as [string, string];
    const both = async () => [...(await statuses(keys[0], 1)), ...(await statuses(keys[1], 1))];
    expect(await both()).toEqual([200, 200]);

    const member = { team_id: teamId, user_id: String(person.id) };
    expect((await operator.post("/team/member_update", { ...member, rpm_limit: 1 })).status).toBe(200);
    expect(await both()).toEqual([200, 429]);
    await operator.post("/team/member_update", { ...member, rpm_limit: null });

    clock.step(120_000);
    expect((await operator.post("/user/update", { user_id: String(person.id), rpm_limit: 1 })).status).toBe(200);
    expect(await both()).toEqual([200, 429]);
    await operator.post("/user/update", { user_id: String(person.id), rpm_limit: null });

    clock.step(120_000);
    const organization = `/api/admin/organizations/${person.ownId}`;
    const changed = await operator.send("PATCH", organization, { rpmLimit: 1 });
    expect(changed.status).toBe(200);
    expect(await both()).toEqual([200, 429]);
  });

  test("of an end user is counted by the name that the caller gives, and apart for each organization", async () => {
    const { key } = await newKey();
    expect(await statuses(key, 3, { user: "ann" })).toEqual([200, 200, 429]);
    expect(await statuses(key, 2, { user: "bob" })).toEqual([200, 200]);
    const header = { "x-gw-customer-id": "carl" };
    expect((await call(key, { user: "dora" }, header)).headers.get("x-ratelimit-end_user-remaining-requests")).toBe(
      "1",
    );
    expect((await call(key, {}, header)).status).toBe(200);
    expect((await call(key, { user: "erna" }, header)).status).toBe(429);
    const stranger = await newPerson(app);
    const [team] = await app.storage.accounts.teams.list(stranger.ownId);
    const made = await errorFormat(app, stranger.token).post("/api/gw/api-keys", {
      name: "key",
      teamId: team?.team.id,
    });
    expect(await statuses(made.body.key, 1, { user: "ann" })).toEqual([200]);
    // Without a name there is nothing to count by.
    expect(await statuses(key, 4)).toEqual([200, 200, 200, 200]);
  });

  test("that is changed holds with the next call", async () => {
    const { key, id } = await newKey({ rpmLimit: 1 });
    expect(await statuses(key, 2)).toEqual([200, 429]);
    await own.send("PATCH", `/api/gw/api-keys/${id}`, { rpmLimit: 3 });
    expect(await statuses(key, 3)).toEqual([200, 200, 429]);
    await own.send("PATCH", `/api/gw/api-keys/${id}`, { rpmLimit: null });
    expect(await statuses(key, 5)).toEqual([200, 200, 200, 200, 200]);
  });
});

describe("a limit of tokens a minute", () => {
  test("counts what calls have used, not what they were guessed to", async () => {
    // Each call uses 15 tokens; before it ends, the prompt counts a token per byte, and the longest response in full.
    const { key } = await newKey({ tpmLimit: 60 });
    const said = await call(key, { max_tokens: 40 });
    expect(said.status).toBe(200);
    expect(said.headers.get("x-ratelimit-limit-tokens")).toBe("60");
    const next = await call(key, { max_tokens: 1 });
    const guessed = 60 - 15 - Number(next.headers.get("x-ratelimit-remaining-tokens"));
    expect(guessed).toBeGreaterThan(0);
    expect(guessed).toBeLessThan(40);
    expect(await statuses(key, 3)).toEqual([200, 200, 429]);
    const refused = await call(key);
    expect(refused.body.error?.message).toContain("this key: 60 tokens a minute");
    clock.step(61_000);
    expect((await call(key)).status).toBe(200);
  });

  test("takes as many answers as are asked for", async () => {
    const { key } = await newKey({ tpmLimit: 1000 });
    const told = await call(key, { n: 5, max_tokens: 100 });
    expect(Number(told.headers.get("x-ratelimit-remaining-tokens"))).toBeLessThanOrEqual(500);
    const next = await call(key, { max_tokens: 100 });
    expect(Number(next.headers.get("x-ratelimit-remaining-tokens"))).toBeGreaterThan(800);
  });

  test("gives back what a failed call has not used", async () => {
    const { key } = await newKey({ tpmLimit: 60 });
    upstream.mood = status(500);
    for (let i = 0; i < 5; i++) expect((await call(key, { max_tokens: 50 })).status).not.toBe(429);
    upstream.mood = WELL;
    expect((await call(key, { max_tokens: 50 })).status).toBe(200);
  });

  test("lets a call through that asks for more than all of it, when nothing else was used", async () => {
    const { key } = await newKey({ tpmLimit: 20 });
    expect((await call(key, { max_tokens: 4000 })).status).toBe(200);
  });
});

describe("a limit of calls at one time", () => {
  test("frees a place when a call ends, and when its caller leaves", async () => {
    const { key } = await newKey({ parallelLimit: 2 });
    upstream.mood = { kind: "hang" };
    const leave = [new AbortController(), new AbortController()];
    const before = upstream.calls;
    const json = { model: "fast", messages: [{ role: "user", content: "who?" }] };
    const running = leave.map(({ signal }) =>
      app.call("/v1/chat/completions", { key, json, signal }).catch(() => null),
    );
    while (upstream.calls < before + 2) await Bun.sleep(1);
    const refused = await call(key);
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(refused.headers.get("x-ratelimit-api_key-remaining-max_parallel_requests")).toBe("0");
    expect(refused.body.error?.message).toContain("this key: 2 calls at one time");
    for (const one of leave) one.abort();
    await Promise.all(running);
    upstream.mood = WELL;
    expect(await statuses(key, 3)).toEqual([200, 200, 200]);
  });

  test("frees the place of a stream that was read to its end", async () => {
    const { key } = await newKey({ parallelLimit: 1 });
    for (let i = 0; i < 3; i++) expect((await call(key, { stream: true })).status).toBe(200);
  });
});

test("a refused call is in the log as rejected, and costs nothing", async () => {
  const { key } = await newKey({ rpmLimit: 1 });
  await call(key);
  expect((await call(key)).status).toBe(429);
  const record = books.ended.at(-1)?.record;
  expect(record).toMatchObject({
    status: "rejected",
    statusCode: 429,
    errorCode: "rate_limit_exceeded",
    model: "fast",
    requestedModel: "fast",
    cost: 0n,
  });
});

test("a caller without limits is told of none", async () => {
  const { key } = await newKey();
  const { headers } = await call(key);
  expect([...headers.keys()].filter((name) => name.startsWith("x-ratelimit"))).toEqual([]);
});
