import { afterAll, describe, expect, test } from "bun:test";
import { loadConfig } from "../../src/config/load.ts";
import { newPerson } from "../accounts/people.ts";
import { MASTER_KEY } from "../app.ts";
import { chat, makeKey, startGuarded } from "./guarded-app.ts";

const entry = (name: string, params: object) => ({ guardrail_name: name, litellm_params: params });
const world = await startGuarded([
  entry("words", { guardrail: "word_list", words: ["falcon"] }),
  entry("answer-pii", { guardrail: "pii", mode: "post_call" }),
  ...["pre_call", "during_call", "post_call"].map((mode) =>
    entry(mode, { guardrail: "webhook", api_base: "$HOOK", secret: "0123456789abcdef0123", mode, timeout: 600 }),
  ),
]);
const { app } = world;
afterAll(() => world.close());

interface Key {
  readonly id: string;
  readonly key: string;
  readonly guardrails: readonly string[];
}

describe("guardrails of a key", () => {
  test("are put on by whoever made it, and taken off by administrators alone", async () => {
    const [owner, member] = [await newPerson(app), await newPerson(app)];
    const [team] = await app.storage.accounts.teams.list(owner.ownId);
    const teamId = team?.team.id ?? "";
    const json = { team_id: teamId, member: { role: "user", user_id: String(member.id) } };
    expect((await app.call("/team/member_add", { key: MASTER_KEY, json })).status).toBe(200);
    const made = await member.send("POST", "/api/gw/api-keys", { name: "mine", team_id: teamId });
    expect(made.status).toBe(201);
    const { id } = made.body as Key;
    const path = `/api/gw/api-keys/${id}`;
    const put = await member.send("PATCH", path, { guardrails: ["words", "words"] });
    expect([put.status, (put.body as Key).guardrails]).toEqual([200, ["words"]]);
    expect((await member.send("PATCH", path, { guardrails: ["nothing"] })).status).toBe(400);
    for (const guardrails of [[], null, ["answer-pii"]]) {
      expect((await member.send("PATCH", path, { guardrails })).status).toBe(403);
    }
    expect((await member.send("PATCH", path, { guardrails: ["answer-pii", "words"] })).status).toBe(200);
    expect((await member.send("PATCH", path, { name: "still mine" })).status).toBe(200);
    const off = await owner.send("PATCH", path, { guardrails: [] });
    expect([off.status, (off.body as Key).guardrails]).toEqual([200, []]);
    const log = await app.call("/api/admin/audit-logs?pageSize=1", { key: MASTER_KEY });
    const { data } = (await log.json()) as { data: { details: object }[] };
    expect(data[0]?.details).toMatchObject({ changes: { guardrails: { to: [] } } });
  });

  test("of a team are for administrators of the organization, and reach its keys at once", async () => {
    const owner = await newPerson(app);
    const [team] = await app.storage.accounts.teams.list(owner.ownId);
    const teamId = team?.team.id ?? "";
    const { key } = (await owner.send("POST", "/api/gw/api-keys", { name: "k", team_id: teamId })).body as Key;
    expect((await chat(world, "own", "a falcon", {}, key)).status).toBe(200);
    const changed = await owner.send("PATCH", `/api/gw/teams/${teamId}`, { guardrails: ["words"] });
    expect([changed.status, (changed.body as Key).guardrails]).toEqual([200, ["words"]]);
    expect((await chat(world, "own", "a falcon", {}, key)).status).toBe(400);
    await owner.send("PATCH", `/api/gw/teams/${teamId}`, { guardrails: null });
    expect((await chat(world, "own", "a falcon", {}, key)).status).toBe(200);
  });
});

test("what is stored of an answer that its reader left has no more in it than the reader got", async () => {
  await (await chat(world, "own", "say: warm up")).raw;
  const organizationId = (await world.books.last()).organizationId ?? "";
  await app.storage.accounts.organizations.update(organizationId, { storePrompts: true });
  const demo = (await (await app.call("/key/info", { key: world.key })).json()) as { info: { team_id: string } };
  const { key } = await makeKey(world, { team_id: demo.info.team_id });
  const response = await app.call("/v1/chat/completions", {
    key,
    json: {
      model: "echo",
      messages: [{ role: "user", content: "Dear eve@example.com, one two three four five six" }],
      stream: true,
      guardrails: ["answer-pii"],
      echo_fault: { token_delay_ms: 20 },
    },
  });
  const reader = response.body?.getReader();
  let read = "";
  while (!read.includes("[EMAIL_1]")) read += new TextDecoder().decode((await reader?.read())?.value);
  await reader?.cancel();
  const { id, status } = await world.books.last();
  expect(status).toBe("cancelled");
  let stored = await app.storage.usage.findContents(id);
  while (!stored) stored = await app.storage.usage.findContents(id);
  expect(stored.response).toContain("[EMAIL_1]");
  expect(stored.response).not.toContain("eve@example.com");
});

test("a caller that leaves while somebody is asked is no fault of ours, and is in the books", async () => {
  for (const mode of ["pre_call", "during_call", "post_call"]) {
    for (const stream of [false, true]) {
      const asked = Promise.withResolvers<void>();
      world.judge.answer = () => {
        asked.resolve();
        return new Promise<never>(() => undefined);
      };
      const leaving = new AbortController();
      const json = { model: "own", stream, guardrails: [mode], messages: [{ role: "user", content: "say: hello" }] };
      const answer = app.call("/v1/chat/completions", { key: world.key, json, signal: leaving.signal });
      await asked.promise;
      leaving.abort();
      expect((await answer).status).toBe(502);
      const { id, status, cost } = await world.books.last();
      expect([mode, status]).toEqual([mode, "cancelled"]);
      expect(id).toBe((await answer).headers.get("x-gw-call-id") ?? "");
      if (mode === "pre_call") expect(cost).toBe(0n);
    }
  }
});

test("a reload takes over the list, and a key whose guardrail is gone cannot call", async () => {
  const { key } = await makeKey(world, { guardrails: ["words"] });
  expect((await chat(world, "own", "say: x", {}, key)).status).toBe(200);
  const model_list = [{ model_name: "own", litellm_params: { model: "echo/chat" }, model_info: { free: true } }];
  const text = JSON.stringify({
    model_list,
    guardrails: [entry("other", { guardrail: "word_list", words: ["heron"] })],
  });
  const loaded = loadConfig({ file: "a.yaml", env: {}, readFile: () => text });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
  app.service.apply(loaded.config);
  const said = await chat(world, "own", "say: x", {}, key);
  expect([said.status, said.error?.message]).toEqual([
    403,
    expect.stringContaining("`words`, which is not configured"),
  ]);
  expect((await chat(world, "own", "a heron", { guardrails: ["other"] })).status).toBe(400);
  expect((await chat(world, "own", "x", { guardrails: ["words"] })).status).toBe(400);
});
