import { afterAll, describe, expect, test } from "bun:test";
import { MASTER_KEY, startApp } from "../app.ts";

const app = await startApp(`
model_list:
  - model_name: broken
    litellm_params: { model: openai/gpt-4o, api_base: "http://127.0.0.1:1/v1", api_key: sk-upstream-canary }
    model_info: { id: broken-1 }
`);
afterAll(() => app.close());

describe("health", () => {
  test("liveliness is open and plain", async () => {
    expect(await (await app.call("/health/liveliness")).json()).toBe("I'm alive!");
  });

  test("readiness tells the database's state, and answers while draining", async () => {
    const ready = { status: "healthy", db: "connected", journal: "writable" };
    expect(await (await app.call("/health/readiness")).json()).toEqual(ready);
    expect(await (await app.call("/api/health")).json()).toEqual(ready);
    app.draining = true;
    const response = await app.call("/health/readiness");
    app.draining = false;
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({
      status: "unavailable",
      db: "connected",
      reason: "The process starts or drains.",
    });
  });

  test("a call that is turned away while draining is a line in the log, and no error with a stack", async () => {
    const from = app.logged.length;
    app.draining = true;
    const response = await app.call("/v1/models", { key: MASTER_KEY });
    app.draining = false;
    expect(response.status).toBe(503);
    const lines = app.logged.slice(from).map((line) => JSON.parse(line));
    const shown = lines.filter(({ level }) => level !== "debug");
    expect(shown).toMatchObject([{ level: "warn", kind: "unavailable", path: "/v1/models" }]);
    expect(shown[0]).not.toHaveProperty("err");
  });

  test("checks every deployment for an admin, and shows no key", async () => {
    const response = await app.call("/health", { key: MASTER_KEY });
    const text = await response.text();
    const body = JSON.parse(text);
    expect(body.healthy_count).toBe(8);
    expect(body.unhealthy_endpoints).toMatchObject([
      { model_id: "broken-1", provider: "openai", error: expect.stringContaining("The provider cannot be reached: ") },
    ]);
    expect(text).not.toContain("canary");
  });

  test("can be asked of one group or deployment", async () => {
    expect(await (await app.call("/health?model=echo", { key: MASTER_KEY })).json()).toMatchObject({
      healthy_count: 1,
      unhealthy_count: 0,
    });
    expect((await app.call("/health?model_id=none", { key: MASTER_KEY })).status).toBe(404);
  });

  test("is not for a plain key", async () => {
    const response = await app.call("/health", { key: app.first.demoKey ?? "" });
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ error: { name: "PermissionDeniedError" } });
  });
});

describe("metrics", () => {
  test("need an admin by default and count calls by pattern", async () => {
    expect((await app.call("/metrics")).status).toBe(401);
    expect((await app.call("/metrics", { key: app.first.demoKey ?? "" })).status).toBe(403);
    await app.call("/nope/one");
    await app.call("/nope/two");
    const text = await (await app.call("/metrics", { key: MASTER_KEY })).text();
    expect(text).toContain('turnpike_http_requests_total{method="GET",path="unknown",status="404"} 2');
    expect(text).toContain("turnpike_event_loop_delay_seconds");
    expect(text).not.toContain("/nope");
  });

  test("count the tokens of an answer, and the same ones when it is streamed without asking for them", async () => {
    const counted = async (kind: string): Promise<number> => {
      const text = await (await app.call("/metrics", { key: MASTER_KEY })).text();
      return Number(new RegExp(`turnpike_tokens_total{model_group="echo",kind="${kind}"} (\\d+)`).exec(text)?.[1] ?? 0);
    };
    const chat = async (stream: boolean): Promise<number[]> => {
      const before = [await counted("input"), await counted("output")];
      const json = { model: "echo", stream, messages: [{ role: "user", content: "count these words" }] };
      await (await app.call("/v1/chat/completions", { key: MASTER_KEY, json })).text();
      return [(await counted("input")) - (before[0] ?? 0), (await counted("output")) - (before[1] ?? 0)];
    };
    const plain = await chat(false);
    expect(Math.min(...plain)).toBeGreaterThan(0);
    expect(await chat(true)).toEqual(plain);
  });

  test("may be open to this machine alone", async () => {
    const local = await startApp("general_settings: { metrics_access: loopback }\n");
    expect((await local.call("/metrics", { remoteAddress: "127.0.0.1" })).status).toBe(200);
    expect((await local.call("/metrics", { remoteAddress: "::1" })).status).toBe(200);
    expect((await local.call("/metrics", { remoteAddress: "10.1.2.3" })).status).toBe(403);
    await local.close();
  });
});

describe("the key's header", () => {
  test("in the hosted profile is x-gw-api-key alone", async () => {
    const open = await startApp("");
    const told = async (app: typeof open) => await (await app.call("/v1/models", {})).text();
    expect(await told(open)).toContain("Send it as `Authorization: Bearer sk-...` or in the `x-gw-api-key` header.");
    await open.close();
    const hosted = await startApp("general_settings: { hosted: true }\n");
    expect(await told(hosted)).toContain("Send it in the `x-gw-api-key` header.");
    const json = { model: "echo", messages: [{ role: "user", content: "hi" }] };
    const call = (headers: Record<string, string>) => hosted.call("/chat/completions", { json, headers });
    expect((await call({ "x-gw-api-key": MASTER_KEY })).status).toBe(200);
    for (const name of ["authorization", "x-api-key", "api-key", "x-goog-api-key"]) {
      const value = name === "authorization" ? `Bearer ${MASTER_KEY}` : MASTER_KEY;
      const response = await call({ [name]: value });
      expect(response.status).toBe(401);
      expect(await response.text()).toContain("x-gw-api-key");
    }
    await hosted.close();
  });

  test("of two carriers that disagree is refused", async () => {
    const headers = { authorization: `Bearer ${MASTER_KEY}`, "x-gw-api-key": app.first.demoKey ?? "" };
    const json = { model: "echo", messages: [{ role: "user", content: "hi" }] };
    expect((await app.call("/chat/completions", { json, headers })).status).toBe(401);
  });

  test("prefix may be another one beside gw", async () => {
    const moved = await startApp("general_settings: { header_prefix: litellm }\n");
    const response = await moved.call("/health/liveliness", { headers: { "x-litellm-call-id": "abc" } });
    expect(response.headers.get("x-litellm-call-id")).toBe("abc");
    expect(response.headers.get("x-gw-call-id")).toBe("abc");
    await moved.close();
  });
});

describe("a reload by the admin API", () => {
  test("reports what was taken over", async () => {
    app.reload = () => ({
      ok: true,
      faults: [],
      warnings: ["w"],
      needRestart: ["general_settings.port"],
      deployments: 3,
    });
    const response = await app.call("/api/admin/config/reload", { method: "POST", key: MASTER_KEY });
    expect(await response.json()).toEqual({ deployments: 3, warnings: ["w"], needRestart: ["general_settings.port"] });
    const audit = await app.call("/api/admin/audit-logs?action=config.reload", { key: MASTER_KEY });
    expect(await audit.json()).toMatchObject({
      data: [{ actor: "master_key", details: { deployments: 3, needRestart: ["general_settings.port"] } }],
    });
  });

  test("of a bad file is an error that names the faults", async () => {
    app.reload = () => ({ ok: false, faults: ["a.yaml:1:2 port: no"], warnings: [], needRestart: [], deployments: 0 });
    const response = await app.call("/api/admin/config/reload", { method: "POST", key: MASTER_KEY });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      error: "The configuration was not changed: a.yaml:1:2 port: no",
      code: "VALIDATION_ERROR",
    });
    const audit = await app.call("/api/admin/audit-logs?action=config.reload", { key: MASTER_KEY });
    expect(await audit.json()).toMatchObject({ meta: { total: 1 } });
  });

  test("is not for a plain key", async () => {
    const response = await app.call("/api/admin/config/reload", { method: "POST", key: app.first.demoKey ?? "" });
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ code: "FORBIDDEN" });
  });
});
