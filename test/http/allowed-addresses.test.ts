import { afterAll, describe, expect, test } from "bun:test";
import { MASTER_KEY, startApp } from "../app.ts";
import { configOf } from "../config/load-text.ts";

const app = await startApp(
  "general_settings:\n  allowed_ips: [192.0.2.0/24, '2001:db8::7']\n  trusted_proxies: [10.0.0.1]\n",
);
afterAll(() => app.close());

const INSIDE = "192.0.2.9";
const OUTSIDE = "203.0.113.9";
const statusOf = async (path: string, remoteAddress: string, headers: Record<string, string> = {}) =>
  (await app.call(path, { remoteAddress, key: MASTER_KEY, headers })).status;

describe("`allowed_ips`", () => {
  test("lets in who calls from there", async () => {
    expect(await statusOf("/v1/models", INSIDE)).toBe(200);
    expect(await statusOf("/v1/models", "2001:db8::7")).toBe(200);
    expect(await statusOf("/api/providers", INSIDE)).toBe(200);
  });

  test("answers 403 to everybody else, whatever they call and whoever they are", async () => {
    const response = await app.call("/v1/models", { remoteAddress: OUTSIDE, key: MASTER_KEY });
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ error: { code: "permission_denied" } });
    for (const path of ["/api/providers", "/openapi.json", "/metrics", "/ui/"])
      expect([path, await statusOf(path, OUTSIDE)]).toEqual([path, 403]);
    const logIn = { remoteAddress: OUTSIDE, json: { email: "admin@localhost", password: "x" } };
    expect((await app.call("/api/auth/token", logIn)).status).toBe(403);
  });

  test("goes by who is behind a trusted proxy", async () => {
    expect(await statusOf("/v1/models", "10.0.0.1", { "x-forwarded-for": INSIDE })).toBe(200);
    expect(await statusOf("/v1/models", "10.0.0.1", { "x-forwarded-for": OUTSIDE })).toBe(403);
    expect(await statusOf("/v1/models", OUTSIDE, { "x-forwarded-for": INSIDE })).toBe(403);
  });

  test("does not hinder probes, nor payment providers, who sign what they say", async () => {
    expect(await statusOf("/health/liveliness", OUTSIDE)).toBe(200);
    expect(await statusOf("/health/readiness", OUTSIDE)).toBe(200);
    const event = { remoteAddress: OUTSIDE, json: {}, method: "POST" };
    expect((await app.call("/api/webhooks/stripe", event)).status).not.toBe(403);
  });

  test("is taken over by a reload", async () => {
    const before = configOf("general_settings:\n  allowed_ips: [192.0.2.0/24, '2001:db8::7']\n");
    app.service.apply(configOf(`general_settings:\n  allowed_ips: [${OUTSIDE}]\n`));
    expect(await statusOf("/v1/models", OUTSIDE)).toBe(200);
    expect(await statusOf("/v1/models", INSIDE)).toBe(403);
    app.service.apply(before);
    expect(await statusOf("/v1/models", OUTSIDE)).toBe(403);
  });
});
