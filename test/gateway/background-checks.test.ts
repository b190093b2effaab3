import { afterEach, expect, test } from "bun:test";
import { MASTER_KEY } from "../app.ts";
import { configOf } from "../config/load-text.ts";
import { status, WELL } from "../upstreams/moody.ts";
import { type Balanced, balance } from "./balanced.ts";

let group: Balanced;
afterEach(() => group.stop());

const two = { a: {}, b: {} };
const on = { background_health_checks: true, health_check_interval: 60, demo: false };
const check = () => group.app.service.check();
const calls = () => [group.upstreams.a?.calls, group.upstreams.b?.calls];
const health = async () => {
  const response = await group.app.call("/model_group/info?model_group=g", { key: MASTER_KEY });
  return ((await response.json()) as { data: Record<string, unknown>[] }).data[0];
};

test("a deployment that fails its check gets no calls until it passes one", async () => {
  group = await balance(two, {}, null, on);
  expect(await health()).toMatchObject({ health_status: null, health_checked_at: null });
  group.set(status(500), "a");
  await check();
  expect(calls()).toEqual([1, 1]);
  expect(await group.count(12)).toEqual({ b: 12 });
  expect(calls()).toEqual([1, 13]);
  const checkedAt = new Date(group.clock.nowMs()).toISOString();
  expect(await health()).toMatchObject({ health_status: "healthy", health_checked_at: checkedAt });
  const { body } = await group.admin("GET", "/api/admin/deployments?state=unwell");
  expect(body.data).toMatchObject([{ id: "a", checkOk: false, checkedAt, calls: 0 }]);
  group.set(WELL);
  group.clock.step(59_999);
  await check();
  expect(await group.count(6)).toEqual({ b: 6 });
  group.clock.step(1);
  await check();
  expect(Object.keys(await group.count(30)).sort()).toEqual(["a", "b"]);
});

test("one that hangs in its check holds up the checks of no other", async () => {
  group = await balance(two, {}, null, on);
  group.set({ kind: "hang" }, "a");
  const checks = [check()];
  for (const round of [1, 2, 3]) {
    const checkedAt = new Date(group.clock.nowMs()).toISOString();
    const wasChecked = async () =>
      JSON.stringify((await group.admin("GET", "/api/admin/deployments")).body.data).includes(checkedAt);
    while (!(await wasChecked())) await Bun.sleep(5);
    expect(calls()).toEqual([1, round]);
    group.clock.step(60_000);
    checks.push(check());
  }
  await group.stop();
  await Promise.all(checks);
});

test("no more are called at once than was said, also when some hang", async () => {
  group = await balance(two, {}, null, { ...on, health_check_concurrency: 1 });
  const gate = Promise.withResolvers<void>();
  group.set({ kind: "wait", until: gate.promise }, "a");
  const first = check();
  while (calls()[0] === 0) await Bun.sleep(1);
  group.clock.step(60_000);
  await check();
  expect(calls()).toEqual([1, 0]);
  gate.resolve();
  await first;
  expect(calls()).toEqual([1, 1]);
});

test("where all fail their checks they are called all the same, and one that answers is well", async () => {
  group = await balance(two, {}, null, on);
  group.set(status(503));
  await check();
  expect(await health()).toMatchObject({ health_status: "unhealthy" });
  group.set(WELL);
  const first = String(await group.served());
  expect(await group.count(6)).toEqual({ [first]: 6 });
});

test("429 and a request that cannot be made are no sign of trouble", async () => {
  group = await balance({ a: {}, b: { info: { mode: "astrology" } } }, {}, null, on);
  group.set(status(429), "a");
  await check();
  group.set(WELL);
  expect(calls()).toEqual([1, 0]);
  expect(Object.keys(await group.count(30)).sort()).toEqual(["a", "b"]);
});

test("only free ones are called where that is said, and none that is left out", async () => {
  const paid = { info: { free: false, input_cost_per_token: 0.001, output_cost_per_token: 0.001 } };
  group = await balance({ a: paid, b: {}, c: { info: { disable_background_health_check: true } } }, {}, null, {
    ...on,
    background_health_checks: "free",
  });
  await check();
  expect([...calls(), group.upstreams.c?.calls]).toEqual([0, 1, 0]);
});

test("one that an operator has switched off gets no check either, and one at once when it is on again", async () => {
  group = await balance(two, {}, null, on);
  group.set(status(500), "a");
  await check();
  await group.admin("PATCH", "/api/admin/deployments/a", { enabled: false });
  group.clock.step(60_000);
  await check();
  expect(calls()).toEqual([1, 2]);
  group.set(WELL);
  await group.admin("PATCH", "/api/admin/deployments/a", { enabled: true });
  await check();
  expect(calls()).toEqual([2, 2]);
  expect((await group.admin("GET", "/api/admin/deployments?state=unwell")).body.data).toEqual([]);
});

test("nothing is called unless it is switched on, and checks are in nobody's usage", async () => {
  group = await balance(two, {}, null, { demo: false });
  await check();
  expect(calls()).toEqual([0, 0]);
  await group.stop();
  group = await balance(two, {}, null, on);
  await check();
  expect(calls()).toEqual([1, 1]);
  await group.app.service.flush();
  expect((await group.admin("GET", "/api/admin/logs")).body).toMatchObject({ data: [] });
});

test("one that is checked no more is not held to what the last check found", async () => {
  group = await balance(two, {}, null, on);
  group.set(status(500), "a");
  await check();
  group.set(WELL);

  const model = (id: string, info: object) => ({
    model_name: "g",
    litellm_params: { model: "hosted_vllm/m", api_base: group.upstreams[id]?.address },
    model_info: { id, free: true, ...info },
  });
  const model_list = [model("a", { disable_background_health_check: true }), model("b", {})];
  group.app.service.apply(configOf(JSON.stringify({ model_list, general_settings: on })));
  expect(await group.count(6)).toEqual({ b: 6 });
  await check();
  expect(Object.keys(await group.count(30)).sort()).toEqual(["a", "b"]);
});
