import { afterEach, describe, expect, test } from "bun:test";
import { MASTER_KEY } from "../app.ts";
import { DATABASES } from "../storage/databases.ts";
import { migratedUrl } from "../storage/migrated.ts";
import { status, WELL } from "../upstreams/moody.ts";
import { type Balanced, balance } from "./balanced.ts";

interface Row {
  readonly id: string;
  readonly state: string;
  readonly [name: string]: unknown;
}

const opened: Balanced[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.stop();
});
const open = async (...given: Parameters<typeof balance>): Promise<Balanced> => {
  const made = await balance(...given);
  opened.push(made);
  return made;
};

const PATH = "/api/admin/deployments";
const two = { a: {}, b: {} };
const rows = async (group: Balanced, query = "?group=g"): Promise<Row[]> =>
  (await group.admin("GET", `${PATH}${query}`)).body.data as Row[];
const patch = (group: Balanced, id: string, json: unknown) => group.admin("PATCH", `${PATH}/${id}`, json);
const cooldown = (group: Balanced, id: string, json: unknown) => group.admin("POST", `${PATH}/${id}/cooldown`, json);

describe("an operator", () => {
  test("sees how each deployment does", async () => {
    const group = await open(two, {});
    await group.slowly("a", 250);
    await group.slowly("b", 70, { stream: true });
    const [a, b] = await rows(group);
    expect(a).toMatchObject({
      ...{ id: "a", group: "g", provider: "hosted_vllm", model: "m", strategy: "simple-shuffle", state: "well" },
      ...{ apiBase: expect.stringMatching(/^http:/), region: null },
      ...{ enabled: true, weight: null, share: 1, order: null, inFlight: 0, calls: 1, failures: 0, failuresInARow: 0 },
      ...{ plainFirstByteMs: 250, streamFirstByteMs: null, restsUntil: null, checkedAt: null, checkOk: null },
    });
    expect(b).toMatchObject({ streamFirstByteMs: 70, plainFirstByteMs: null });
    expect((await rows(group, "?state=off")).length).toBe(0);
    const paged = await group.admin("GET", `${PATH}?group=g&page=2&pageSize=1`);
    expect(paged.body).toMatchObject({ data: [{ id: "b" }], meta: { page: 2, pageSize: 1, total: 2, totalPages: 2 } });
  });

  test("ends all rests but those begun by hand by switching cooldowns off in the file", async () => {
    const group = await open({ a: {}, b: {}, c: {} }, { cooldown_time: 300 });
    group.set(status(401), "a");
    while ((await rows(group)).every(({ state }) => state === "well")) await group.served();
    expect((await cooldown(group, "b", { action: "start", seconds: 300 })).status).toBe(200);
    group.set(WELL);
    expect(await group.count(4)).toEqual({ c: 4 });
    group.reload({ disable_cooldowns: true, routing_strategy: "usage-based-routing-v2" });
    expect((await rows(group)).map(({ state }) => state)).toEqual(["well", "resting", "well"]);
    // The other one has had four calls already.
    expect(await group.count(4)).toEqual({ a: 4 });
  });

  test.each([1, "1"])("sees no call where none was made any more: the caller's time, %j, was over", async (timeout) => {
    const group = await open(two, {});
    group.set({ kind: "hang" });
    const call = group.served({ timeout });
    const asked = () => (group.upstreams.a?.calls ?? 0) + (group.upstreams.b?.calls ?? 0);
    while (asked() === 0) await Bun.sleep(1);
    group.clock.step(1_500);
    expect([await call, asked()]).toEqual([408, 1]);
    expect((await rows(group)).map(({ inFlight }) => inFlight)).toEqual([0, 0]);
  });

  test("is shown no time for a deployment that only refuses, however the router counts that", async () => {
    const group = await open(two, {});
    await group.slowly("a", 250);
    group.set({ kind: "status", status: 500 }, "b");
    await group.served({ model: "b" });
    const [a, b] = await rows(group);
    expect([a?.plainFirstByteMs, b?.plainFirstByteMs]).toEqual([250, null]);
    expect(b?.failures).toBeGreaterThan(0);
  });

  test("reads the same in the metrics", async () => {
    const group = await open(two, {});
    await group.slowly("a", 250);
    await group.slowly("b", 70, { stream: true });
    group.set({ kind: "status", status: 500 }, "b");
    await group.served({ model: "b" });
    await patch(group, "a", { enabled: false });
    const metrics = await (await group.app.call("/metrics", { key: MASTER_KEY })).text();
    const of = (id: string) => `deployment="${id}",model_group="g",provider="hosted_vllm"`;
    const [, b] = await rows(group);
    for (const line of [
      `available{${of("a")}} 0`,
      `available{${of("b")}} 1`,
      `calls_total{${of("a")}} 1`,
      `calls_total{${of("b")}} ${b?.calls}`,
      `failures_total{${of("a")}} 0`,
      `failures_total{${of("b")}} ${b?.failures}`,
      `in_flight{${of("a")}} 0`,
      `first_byte_seconds{${of("a")},stream="false"} 0.25`,
      `first_byte_seconds{${of("b")},stream="true"} 0.07`,
    ])
      expect(metrics).toContain(`turnpike_deployment_${line}\n`);
    expect(metrics).not.toContain(`{${of("a")},stream="true"}`);
  });

  test("switches a deployment of the file off and on, and both are in the audit log", async () => {
    const group = await open(two, {});
    expect(await patch(group, "a", { enabled: false })).toMatchObject({
      status: 200,
      body: { state: "off", enabled: false },
    });
    expect(await group.count(12)).toEqual({ b: 12 });
    expect(await group.served({ model: "a" })).toBe(503);
    expect((await patch(group, "a", { enabled: true })).body.state).toBe("well");
    expect(Object.keys(await group.count(30)).sort()).toEqual(["a", "b"]);
    const log = (await group.admin("GET", "/api/admin/audit-logs?action=deployment.update")).body.data;
    expect(log).toMatchObject([
      { targetType: "deployment", targetId: "a", actor: "master_key", details: { enabled: true } },
      { targetId: "a", details: { enabled: false } },
    ]);
  });

  test.each([
    ["nobody else", { a: {} }, 429],
    ["another one, also one that has failed before", two, "b"],
  ])("switches one off for calls that wait to try it again, too: %s takes them", async (_, entries, answer) => {
    const settings = { num_retries: 3, retry_after: 1, disable_cooldowns: true, routing_strategy: "simple-shuffle" };
    const group = await open(entries, settings);
    group.set(status(429));
    const ids = Object.keys(entries);
    const calls = () => ids.reduce((sum, id) => sum + (group.upstreams[id]?.calls ?? 0), 0);
    const waiting = group.served();
    while (calls() < ids.length) await Bun.sleep(1);
    group.set(WELL, "b");
    expect((await patch(group, "a", { enabled: false })).status).toBe(200);
    const before = group.upstreams.a?.calls;
    expect(await waiting).toBe(answer);
    expect(group.upstreams.a?.calls).toBe(before as number);
  });

  test("sets a weight, and takes it back", async () => {
    const group = await open({ a: { params: { weight: 1 } }, b: { params: { weight: 1 } } }, {});
    expect((await patch(group, "a", { weight: 0 })).body).toMatchObject({ weight: 0, share: 0 });
    expect(await group.count(12)).toEqual({ b: 12 });
    expect((await patch(group, "a", { weight: 2.5 })).body).toMatchObject({ weight: 2.5, share: 2.5 });
    expect((await patch(group, "a", { weight: null })).body).toMatchObject({ weight: null, share: 1 });
    expect(Object.keys(await group.count(30)).sort()).toEqual(["a", "b"]);
  });

  test("lets one rest for a while, and ends a rest, also one that failures began", async () => {
    const group = await open(two, {});
    const started = await cooldown(group, "a", { action: "start", seconds: 30 });
    const until = new Date(group.clock.nowMs() + 30_000).toISOString();
    expect(started.body).toMatchObject({ state: "resting", restsUntil: until });
    expect(await group.count(12)).toEqual({ b: 12 });
    expect((await cooldown(group, "a", { action: "clear" })).body).toMatchObject({ state: "well", restsUntil: null });
    group.set(status(401), "a");
    await group.count(12);
    expect((await rows(group))[0]).toMatchObject({ state: "resting", failures: 1 });
    expect((await cooldown(group, "a", { action: "clear" })).body).toMatchObject({ state: "well" });
    await cooldown(group, "b", { action: "start", seconds: 30 });
    group.clock.step(30_000);
    expect((await rows(group))[1]).toMatchObject({ state: "probing", restsUntil: null });
    const log = (await group.admin("GET", "/api/admin/audit-logs?action=deployment.rest")).body.data;
    expect(log).toMatchObject([{ targetId: "b" }, { targetId: "a" }]);
  });

  test("changes a weight without ending or beginning a rest once more, of failures or by hand", async () => {
    const group = await open(two, { cooldown_time: 300 });
    await cooldown(group, "a", { action: "clear" });
    group.set(status(401), "a");
    await group.count(12);
    expect((await patch(group, "a", { weight: 2 })).body).toMatchObject({ state: "resting", weight: 2 });
    expect((await patch(group, "a", { enabled: true })).body).toMatchObject({ state: "resting" });
    expect((await cooldown(group, "a", { action: "clear" })).body).toMatchObject({ state: "well" });

    await cooldown(group, "b", { action: "start", seconds: 600 });
    await cooldown(group, "a", { action: "start", seconds: 600 });
    group.set(WELL);
    group.clock.step(1_000);
    // Where none is well the first that answers is.
    const [first = ""] = Object.keys(await group.count(1));
    expect((await patch(group, first, { weight: 3 })).body).toMatchObject({ state: "well", weight: 3 });
  });

  test("is told what is wrong", async () => {
    const group = await open(two, {});
    expect((await patch(group, "none", { enabled: false })).status).toBe(404);
    expect((await cooldown(group, "none", { action: "clear" })).status).toBe(404);
    for (const body of [{}, { weight: -1 }, { weight: "2" }, { enabled: "no" }, { wieght: 2 }]) {
      expect((await patch(group, "a", body)).status).toBe(400);
    }
    for (const body of [{}, { action: "stop" }, { action: "start", seconds: 0 }, { action: "start", minutes: 5 }]) {
      expect((await cooldown(group, "a", body)).status).toBe(400);
    }
    expect((await rows(group))[0]).toMatchObject({ state: "well", weight: null });
  });
});

for (const { kind, missing } of DATABASES.filter((one) => one.kind === "postgres")) {
  describe.skipIf(missing)(`on two processes over ${kind}`, () => {
    test("what is set in one holds in the other at its next look, and after a restart", async () => {
      const url = await migratedUrl(kind);
      const [one, other] = [await open(two, {}, url), await open(two, {}, url)];
      await patch(one, "a", { enabled: false });
      await patch(one, "b", { weight: 4 });
      expect((await rows(other)).map(({ state }) => state)).toEqual(["well", "well"]);
      await other.app.service.refresh();
      expect(await rows(other)).toMatchObject([{ state: "off" }, { state: "well", weight: 4 }]);
      await patch(other, "a", { enabled: true });
      await cooldown(other, "a", { action: "start", seconds: 600 });
      await one.app.service.refresh();
      expect((await rows(one))[0]).toMatchObject({ state: "resting", enabled: true });
      const again = await open(two, {}, url);
      expect(await rows(again)).toMatchObject([{ state: "resting" }, { weight: 4 }]);
    });
  });
}
