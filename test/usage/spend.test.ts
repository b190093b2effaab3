import { afterAll, expect, test } from "bun:test";
import { newPerson } from "../accounts/people.ts";
import { MASTER_KEY, startApp } from "../app.ts";
import { newCall } from "../storage/new-usage.ts";
import { Moody } from "../upstreams/moody.ts";

const app = await startApp(
  `model_list:
  - model_name: priced
    litellm_params: { model: openai/gpt-priced, api_key: sk-none, input_cost_per_token: 0.000001, output_cost_per_token: 0.000002 }
`,
);
afterAll(() => app.close());
const owner = await newPerson(app);
const { body: team } = await owner.send("POST", "/api/gw/teams", { name: "Spenders" });
const { id: teamId } = team as { id: string };
const makeKey = async (name: string) =>
  (await owner.send("POST", "/api/gw/api-keys", { name, team_id: teamId })).body as { id: string; token: string };
const [first, second] = [await makeKey("one"), await makeKey("two")];
const { token: hash } = (await owner.send("GET", `/api/gw/api-keys/${first.id}`)).body as { token: string };
const owned = { organizationId: owner.ownId, teamId, userId: owner.id };
const calls = [
  newCall({ ...owned, keyId: first.id, at: Date.parse("2026-04-01T10:00:00Z"), cost: 1_000_000_001n, tags: ["blue"] }),
  newCall({ ...owned, keyId: first.id, at: Date.parse("2026-04-01T23:59:59Z"), cost: 2n, endUser: "eve" }),
  newCall({
    ...owned,
    keyId: second.id,
    at: Date.parse("2026-04-02T00:00:00Z"),
    cost: 0n,
    model: null,
    provider: null,
    deploymentId: null,
    status: "failed",
    statusCode: 502,
  }),
];
await app.storage.usage.record(calls);

const ask = async <T>(path: string, key = MASTER_KEY): Promise<T> => {
  const answer = await app.call(path, { key });
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
};
const SPAN = "start_date=2026-04-01&end_date=2026-04-02";

test("calls are listed in the shape that scripts know, with amounts to the last digit", async () => {
  const rows = await ask<Record<string, unknown>[]>(`/spend/logs?api_key=${first.token}`);
  expect(rows).toHaveLength(2);
  expect(rows[1]).toMatchObject({
    request_id: calls[0]?.id,
    call_type: "acompletion",
    api_key: hash,
    spend: 1.000000001,
    total_tokens: 110,
    startTime: "2026-04-01T10:00:00.000Z",
    endTime: "2026-04-01T10:00:00.250Z",
    model: "gpt-x-2026",
    model_group: "gpt-x",
    custom_llm_provider: "openai",
    cache_hit: "False",
    request_tags: ["blue"],
    team_id: teamId,
    status: "success",
  });
  const failed = await ask<{ status: string }[]>(`/spend/logs?request_id=${calls[2]?.id}`);
  expect(failed.map(({ status }) => status)).toEqual(["failure"]);
});

test("a row tells the session, the address without what is secret in it, and the kept answer that was given again", async () => {
  const upstream = new Moody("one");
  const base = upstream.address.replace("http://", "http://user:pass-canary@");
  const params = (more: object = {}) => ({ model: "hosted_vllm/m", api_base: `${base}?token=query-canary`, ...more });
  const other = await startApp(
    JSON.stringify({
      model_list: [
        { model_name: "m", litellm_params: params(), model_info: { free: true } },
        {
          model_name: "own",
          litellm_params: params({ configurable_clientside_auth_params: ["api_base"] }),
          model_info: { free: true },
        },
      ],
      litellm_settings: { cache: true },
    }),
  );
  const row = async (model: string, fields: object = {}, headers: Record<string, string> = {}) => {
    const json = { model, messages: [{ role: "user", content: "hi" }], ...fields };
    const response = await other.call("/v1/chat/completions", { key: MASTER_KEY, json, headers });
    await response.text();
    expect(response.status).toBe(200);
    const path = `/spend/logs?request_id=${response.headers.get("x-gw-call-id")}`;
    for (;;) {
      const [found] = (await (await other.call(path, { key: MASTER_KEY })).json()) as Record<string, unknown>[];
      if (found) return { row: found, cacheKey: response.headers.get("x-gw-cache-key") };
      await Bun.sleep(5);
    }
  };
  const plain = await row("m", { metadata: { cache_key: "the caller's own" } });
  expect(plain.row).toMatchObject({ session_id: null, cache_key: null, cache_hit: "False" });
  expect(plain.row.api_base).toContain(new URL(upstream.address).host);
  expect(JSON.stringify(plain.row)).not.toContain("canary");
  const hit = await row("m", { litellm_session_id: "s-1" });
  expect(hit.cacheKey).not.toBeNull();
  expect(hit.row).toMatchObject({ session_id: "s-1", cache_key: hit.cacheKey, cache_hit: "True" });
  for (const name of ["x-gw-session-id", "x-gw-trace-id"]) {
    const named = await row("own", { metadata: { job: 1, pad: "x".repeat(5_000) } }, { [name]: "s-2" });
    expect(named.row).toMatchObject({ session_id: "s-2", api_base: null });
  }
  expect((await row("own", { litellm_trace_id: "s-4" })).row).toMatchObject({ session_id: "s-4" });
  const both = await row("own", { metadata: { session_id: "mine", job: 1 } }, { "x-gw-session-id": "s-3" });
  expect(both.row).toMatchObject({ session_id: "mine", metadata: { job: 1 } });
  await other.close();
  await upstream.stop();
});

test("with dates they are summed up by day, by user, model and key", async () => {
  const days = await ask<Record<string, unknown>[]>(`/spend/logs?${SPAN}`);
  expect(days[0]).toEqual({
    startTime: "2026-04-01",
    spend: 1.000000003,
    users: { [String(owner.id)]: 1.000000003 },
    models: { "gpt-x": 1.000000003 },
    [hash]: 1.000000003,
  });
  expect(days.map(({ startTime }) => startTime)).toEqual(["2026-04-01", "2026-04-02"]);
  expect(await ask<unknown[]>(`/spend/logs?${SPAN}&summarize=false`)).toHaveLength(3);
});

test("pages tell how many there are, and narrow", async () => {
  const page = await ask<{ data: unknown[]; total: number; total_pages: number }>("/spend/logs/v2?page_size=2&page=2");
  expect([page.data.length, page.total, page.total_pages]).toEqual([1, 3, 2]);
  const narrowed = await ask<{ total: number }>(`/spend/logs/ui?status_filter=failure&team_id=${teamId}`);
  expect(narrowed.total).toBe(1);
});

test("a key sees its own calls, whatever it asks for", async () => {
  expect(await ask<unknown[]>("/spend/logs", second.token)).toHaveLength(1);
  expect(await ask<unknown[]>(`/spend/logs?request_id=${calls[0]?.id}`, second.token)).toEqual([]);
  expect(await ask<{ total: number }>(`/spend/logs/v2?team_id=${teamId}`, second.token)).toMatchObject({ total: 1 });
  for (const query of [`api_key=${first.id}`, `user_id=${owner.id + 1}`]) {
    expect((await app.call(`/spend/logs?${query}`, { key: second.token })).status).toBe(403);
  }
  expect((await app.call("/global/spend", { key: second.token })).status).toBe(403);
});

test("the operator sees what everybody spent", async () => {
  expect(await ask<object>("/global/spend")).toEqual({ spend: 1.000000003, max_budget: null });
  expect(await ask<unknown[]>("/spend/keys")).toMatchObject([
    { api_key: hash, key_alias: "one", spend: 1.000000003, team_id: teamId },
    { key_alias: "two", spend: 0 },
  ]);
  expect(await ask<unknown[]>("/spend/users")).toEqual([
    { user_id: String(owner.id), user_email: owner.email, spend: 1.000000003 },
  ]);
  for (const [path, name] of [
    ["models", { model: "gpt-x" }],
    ["teams", { team_id: teamId, team_alias: "Spenders" }],
    ["provider", { provider: "openai" }],
  ] as const) {
    const [dearest] = await ask<object[]>(`/global/spend/${path}?${SPAN}`);
    expect(dearest).toMatchObject({ ...name, total_spend: 1.000000003 });
    expect(await ask<unknown[]>(`/global/spend/${path}?start_date=2020-01-01&end_date=2020-01-02`)).toEqual([]);
  }
  expect(await ask<object>(`/spend/tags?${SPAN}`)).toEqual([
    { individual_request_tag: "blue", log_count: 1, total_spend: 1.000000001 },
  ]);
  expect(await ask<object>(`/global/activity?${SPAN}`)).toEqual({
    daily_data: [
      { date: "2026-04-01", api_requests: 2, total_tokens: 220 },
      { date: "2026-04-02", api_requests: 1, total_tokens: 110 },
    ],
    sum_api_requests: 3,
    sum_total_tokens: 330,
  });
});

test("reports go by team, key and customer", async () => {
  expect(await ask<unknown[]>(`/global/spend/report?${SPAN}`)).toMatchObject([
    {
      group_by_day: "2026-04-01",
      teams: [{ team_name: "Spenders", total_spend: 1.000000003, metadata: [{ model: "gpt-x", api_key: hash }] }],
    },
    { group_by_day: "2026-04-02" },
  ]);
  const byKey = await ask<{ api_key: string }[]>(`/global/spend/report?${SPAN}&group_by=api_key`);
  expect(byKey.find(({ api_key }) => api_key === hash)).toMatchObject({
    total_cost: 1.000000003,
    total_input_tokens: 200,
    model_details: [{ model: "gpt-x", total_output_tokens: 20 }],
  });
  expect(await ask<unknown[]>(`/global/spend/report?${SPAN}&group_by=customer`)).toEqual([
    { customer: "eve", total_spend: 2e-9, total_requests: 1, total_input_tokens: 100, total_output_tokens: 10 },
  ]);
});

test("people, tags and reports are those that are asked for", async () => {
  const rowsOf = async (path: string) => (await ask<unknown[]>(path)).length;
  expect([await rowsOf(`/spend/users?user_id=${owner.id}`), await rowsOf("/spend/users?user_id=none")]).toEqual([1, 0]);
  expect(await ask<unknown[]>("/global/spend/tags?tags=green,blue")).toEqual([
    { individual_request_tag: "blue", log_count: 1, total_spend: 1.000000001 },
  ]);
  expect(await rowsOf("/spend/tags?tags=green")).toBe(0);
  const report = (query: string) => rowsOf(`/global/spend/report?${SPAN}&${query}`);
  expect(await report(`group_by=api_key&api_key=${first.token}`)).toBe(1);
  expect(await report("group_by=api_key&api_key=other")).toBe(0);
  expect([await report(`team_id=${teamId}`), await report("team_id=other")]).toEqual([2, 0]);
  expect([await report(`internal_user_id=${owner.id}`), await report("internal_user_id=0")]).toEqual([2, 0]);
  const customer = "group_by=customer&customer_id";
  expect([await report(`${customer}=eve`), await report(`${customer}=ann`)]).toEqual([1, 0]);
  expect(await report(`${customer}=eve&api_key=${second.token}`)).toBe(0);
});

test("activity by day is broken down, and its parts add up", async () => {
  interface Activity {
    results: { date: string; metrics: { spend: number; api_requests: number }; breakdown: Record<string, object> }[];
    metadata: Record<string, unknown>;
  }
  for (const [entity, id] of [
    ["team", teamId],
    ["user", String(owner.id)],
    ["organization", owner.ownId],
  ] as const) {
    const { results, metadata } = await ask<Activity>(`/${entity}/daily/activity?${SPAN}&page_size=1`);
    expect(results.map(({ date }) => date)).toEqual(["2026-04-02"]);
    expect(metadata).toMatchObject({
      total_spend: 1.000000003,
      total_api_requests: 3,
      page: 1,
      total_pages: 2,
      has_more: true,
    });
    const { results: older } = await ask<Activity>(`/${entity}/daily/activity?${SPAN}&page_size=1&page=2`);
    expect(older).toMatchObject([
      {
        date: "2026-04-01",
        metrics: { spend: 1.000000003, total_tokens: 220, successful_requests: 2, failed_requests: 0 },
        breakdown: {
          models: { "gpt-x": { metrics: { api_requests: 2 } } },
          api_keys: { [hash]: { metadata: { key_alias: "one" } } },
          entities: { [id]: { metrics: { api_requests: 2 } } },
          providers: { openai: {} },
        },
      },
    ]);
  }
  const ofEndUsers = await ask<Activity>(`/customer/daily/activity?${SPAN}`);
  expect(ofEndUsers.metadata).toMatchObject({ total_spend: 2e-9, total_api_requests: 1, total_pages: 1 });
  expect(ofEndUsers.results).toMatchObject([
    { metrics: { spend: 2e-9, total_tokens: 110 }, breakdown: { entities: { eve: { metrics: { api_requests: 1 } } } } },
  ]);
  expect(await ask<Activity>(`/end_user/daily/activity?${SPAN}&end_user_ids=ann,eve`)).toEqual(ofEndUsers);
  expect((await ask<Activity>(`/customer/daily/activity?${SPAN}&end_user_ids=ann`)).results).toEqual([]);
  expect((await ask<Activity>(`/team/daily/activity?${SPAN}&team_ids=other`)).results).toEqual([]);
  for (const entity of ["organization", "team", "user"]) {
    const path = `/${entity}/daily/activity?${SPAN}&organization_ids`;
    expect((await ask<Activity>(`${path}=other`)).results).toEqual([]);
    expect((await ask<Activity>(`${path}=${owner.ownId}`)).results).toHaveLength(2);
  }
});

test("what a prompt or an answer would cost is told", async () => {
  const calculate = async (json: object) => app.call("/spend/calculate", { key: MASTER_KEY, json });
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  const answer = await calculate({ completion_response: { model: "priced", usage } });
  expect(await answer.json()).toEqual({ cost: 0.00002 });
  const prompt = await calculate({ model: "priced", messages: [{ role: "user", content: "Hello there" }] });
  const { cost } = (await prompt.json()) as { cost: number };
  expect(cost).toBeGreaterThan(0.000001);
  expect(cost).toBeLessThan(0.0001);
  const tools = [{ type: "function", function: { name: "weather", parameters: { type: "object" } } }];
  const offered = await calculate({ model: "priced", messages: [{ role: "user", content: "Hello there" }], tools });
  expect(((await offered.json()) as { cost: number }).cost).toBeGreaterThan(cost);
  expect((await calculate({ model: "nothing", messages: [] })).status).toBe(404);
  expect((await calculate({ model: "priced" })).status).toBe(400);
  expect((await calculate({})).status).toBe(400);
});

test("activity of many keys with many models is told, of days with gaps between them and as far as the span goes", async () => {
  const day = Date.parse("2025-02-01T00:00:00Z");
  const DAY_MS = 86_400_000;
  const keys = Array.from({ length: 75 }, (_, index) => `many-${index}`);
  const models = Array.from({ length: 70 }, (_, index) => `model-${index}`);
  for (const at of [0, 1, 4, 9].map((days) => day + days * DAY_MS)) {
    await app.storage.usage.record(
      keys.flatMap((keyId) => models.map((model) => newCall({ keyId, model, cost: 3n, at: at + DAY_MS / 2 }))),
    );
  }
  await app.storage.usage.record([newCall({ keyId: "late", cost: 7n, at: day + 9.75 * DAY_MS })]);
  interface Activity {
    results: { date: string; metrics: object; breakdown: Record<string, Record<string, { metrics: object }>> }[];
    metadata: object;
  }
  const each = keys.length * models.length;
  const { results, metadata } = await ask<Activity>("/user/daily/activity?start_date=2025-02-01&end_date=2025-02-28");
  expect(results.map(({ date }) => date)).toEqual(["2025-02-10", "2025-02-05", "2025-02-02", "2025-02-01"]);
  expect(metadata).toMatchObject({ total_api_requests: 4 * each + 1, total_pages: 1 });
  expect(results[1]).toMatchObject({
    metrics: { api_requests: each },
    breakdown: {
      models: { "model-3": { metrics: { api_requests: keys.length } } },
      api_keys: { "many-5": { metrics: { api_requests: models.length }, metadata: { key_alias: "Key" } } },
    },
  });
  const span = "start_date=2025-02-02&end_date=2025-02-10T18:00:00Z";
  const { results: shorter } = await ask<Activity>(`/user/daily/activity?${span}&api_key=late`);
  expect(shorter).toEqual([]);
  const { results: cut } = await ask<Activity>(`/user/daily/activity?${span}`);
  expect(cut.map(({ metrics }) => metrics)).toMatchObject([
    { api_requests: each },
    { api_requests: each },
    { api_requests: each },
  ]);
  expect(Object.keys(cut[0]?.breakdown.api_keys ?? {})).toHaveLength(keys.length);
});

test("times without a zone are of UTC, as LiteLLM's clients send them", async () => {
  const between = (start: string, end: string) =>
    ask<{ total: number }>(
      `/spend/logs/v2?start_date=${encodeURIComponent(start)}&end_date=${encodeURIComponent(end)}`,
    );
  expect((await between("2026-04-01 00:00:00", "2026-04-02 23:59:59")).total).toBe(3);
  expect((await between("2026-04-01 12:00:00", "2026-04-01T23:00:00.5")).total).toBe(0);
});

test("a call is found by the id of its response, ours behind any prefix or the provider's", async () => {
  const call = newCall({ ...owned, keyId: first.id, at: Date.now(), upstreamId: "chatcmpl-of-the-provider" });
  await app.storage.usage.record([call]);
  for (const id of [call.id, `chatcmpl-${call.id}`, `msg_${call.id}`, "chatcmpl-of-the-provider"]) {
    const rows = await ask<{ request_id: string }[]>(`/spend/logs?request_id=${id}`, first.token);
    expect([id, rows.map(({ request_id }) => request_id)]).toEqual([id, [call.id]]);
    expect([id, (await ask<{ total: number }>(`/spend/logs/v2?request_id=${id}`)).total]).toEqual([id, 1]);
    expect(await ask<unknown[]>(`/spend/logs?request_id=${id}`, second.token)).toEqual([]);
  }
});

test("the type of a call names the interface of its request", async () => {
  const types = [
    ["/v1/messages", "anthropic_messages"],
    ["/anthropic/v1/messages", "anthropic_messages"],
    ["/v1/responses", "aresponses"],
    ["/v1beta/models/gpt-x:generateContent", "agenerate_content"],
    ["/v1beta/models/gpt-x:streamGenerateContent", "agenerate_content_stream"],
    ["/v1/chat/completions", "acompletion"],
  ] as const;
  for (const [endpoint, type] of types) {
    const call = newCall({ ...owned, keyId: first.id, at: Date.now(), endpoint });
    await app.storage.usage.record([call]);
    const [row] = await ask<{ call_type: string }[]>(`/spend/logs?request_id=${call.id}`);
    expect([endpoint, row?.call_type]).toEqual([endpoint, type]);
  }
});

test("a report names the calls of no team", async () => {
  await app.storage.usage.record([newCall({ keyId: "master", at: Date.parse("2026-04-03T10:00:00Z"), cost: 5n })]);
  const [day] = await ask<{ teams: unknown[] }[]>("/global/spend/report?start_date=2026-04-03&end_date=2026-04-03");
  expect(day?.teams).toMatchObject([{ team_id: null, team_name: "Unassigned" }]);
});
