import { afterAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Moody } from "../upstreams/moody.ts";
import { newFolder, startTurnpike, type Turnpike } from "./process.ts";

const MASTER = "sk-master-key-of-the-overload";
const PENDING_MAX = 3;
const upstream = new Moody("slow");
const folder = newFolder();
const running: Turnpike[] = [];
afterAll(async () => {
  for (const turnpike of running) turnpike.kill("SIGKILL");
  await Promise.all(running.map(({ exited }) => exited));
  await upstream.stop();
  folder.remove();
});

test("a process that serves as many requests as it may turns calls of models away, and nothing else", async () => {
  upstream.mood = { kind: "hang" };
  const model = { model: "hosted_vllm/m", api_base: upstream.address };
  const config = {
    model_list: [{ model_name: "slow", litellm_params: model, model_info: { free: true } }],
    general_settings: { max_pending_calls: PENDING_MAX, max_event_loop_delay: 0, log_level: "error" },
    router_settings: { num_retries: 0 },
  };
  writeFileSync(join(folder.path, "turnpike.yaml"), JSON.stringify(config));
  const turnpike = await startTurnpike(folder.path, {
    TURNPIKE_MASTER_KEY: MASTER,
    TURNPIKE_ADMIN_PASSWORD: "a good long one",
  });
  running.push(turnpike);
  const headers = { authorization: `Bearer ${MASTER}`, "content-type": "application/json" };
  const leave = new AbortController();
  const call = (body: string, signal?: AbortSignal) =>
    fetch(`${turnpike.url}/v1/chat/completions`, { method: "POST", headers, body, ...(signal ? { signal } : {}) });
  const body = JSON.stringify({ model: "slow", messages: [{ role: "user", content: "hello" }] });
  const held = Array.from({ length: PENDING_MAX }, () => call(body, leave.signal).catch(() => null));
  while (upstream.calls < PENDING_MAX) await Bun.sleep(5);

  // Refused before its body is read: what is no JSON is not noticed.
  for (const sent of [body, "{ not JSON"]) {
    const refused = await call(sent);
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(await refused.json()).toMatchObject({
      error: { message: expect.stringContaining("more calls than it can") },
    });
  }
  expect(upstream.calls).toBe(PENDING_MAX);
  expect((await fetch(`${turnpike.url}/health/readiness`)).status).toBe(200);
  const login = await fetch(`${turnpike.url}/api/auth/token`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: "admin@localhost", password: "a good long one" }),
  });
  expect(login.status).toBe(200);
  expect((await fetch(`${turnpike.url}/v1/models`, { headers })).status).toBe(200);
  const metrics = await (await fetch(`${turnpike.url}/metrics`, { headers })).text();
  expect(metrics).toMatch(/^turnpike_shed_calls 2$/m);

  leave.abort();
  await Promise.all(held);
  upstream.mood = { kind: "well" };
  // The places are free once the process has noticed that the callers left.
  let answered = await call(body);
  while (answered.status === 503) {
    await Bun.sleep(20);
    answered = await call(body);
  }
  expect(answered.status).toBe(200);
}, 120_000);
