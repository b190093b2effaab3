import { afterAll, describe, expect, test } from "bun:test";
import { startApp } from "../app.ts";

const closed = await startApp();
const open = await startApp("general_settings:\n  cors_origins: ['https://app.example']\n");
const any = await startApp("general_settings:\n  cors_origins: ['*']\n");
afterAll(() => Promise.all([closed.close(), open.close(), any.close()]));

const preflight = (origin: string) => ({
  method: "OPTIONS",
  headers: {
    origin,
    "access-control-request-method": "POST",
    "access-control-request-headers": "authorization, content-type",
  },
});

describe("CORS", () => {
  test("is off by default", async () => {
    const response = await closed.call("/v1/chat/completions", preflight("https://app.example"));
    expect(response.headers.get("access-control-allow-origin")).toBeNull();
  });

  test("answers a listed origin, for the call and for its preflight", async () => {
    const ahead = await open.call("/v1/chat/completions", preflight("https://app.example"));
    expect(ahead.status).toBe(204);
    expect(Object.fromEntries(ahead.headers)).toMatchObject({
      "access-control-allow-origin": "https://app.example",
      "access-control-allow-methods": "POST, OPTIONS",
      "access-control-allow-headers": "authorization, content-type",
      vary: "origin",
    });
    const call = await open.call("/health/liveliness", { headers: { origin: "https://app.example" } });
    expect(call.headers.get("access-control-allow-origin")).toBe("https://app.example");
    expect(call.headers.get("access-control-expose-headers")).toContain("x-gw-call-id");
  });

  test("also covers errors, so that a page can read them", async () => {
    const response = await open.call("/v1/chat/completions", {
      method: "POST",
      headers: { origin: "https://app.example" },
    });
    expect(response.status).toBe(401);
    expect(response.headers.get("access-control-allow-origin")).toBe("https://app.example");
  });

  test("reflects no other origin", async () => {
    for (const origin of ["https://evil.example", "https://app.example.evil.example", "null", "https://APP.example"]) {
      const response = await open.call("/health/liveliness", { headers: { origin } });
      expect(response.headers.get("access-control-allow-origin")).toBeNull();
    }
  });

  test("never allows credentials", async () => {
    const response = await any.call("/v1/chat/completions", preflight("https://any.example"));
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(response.headers.get("access-control-allow-credentials")).toBeNull();
  });
});
