import { afterAll, describe, expect, test } from "bun:test";
import { startApp, type TestApp } from "../app.ts";

const PROXY = "10.0.0.1";
const opened: TestApp[] = [];
afterAll(async () => {
  for (const app of opened) await app.close();
});

async function start(settings: string): Promise<TestApp> {
  const app = await startApp(`general_settings: { ${settings} }`);
  opened.push(app);
  return app;
}

async function told(app: TestApp, path: string, proto: string | null, remoteAddress = PROXY): Promise<string | null> {
  const headers: Record<string, string> = proto === null ? {} : { "x-forwarded-proto": proto };
  const answer = await app.call(path, { remoteAddress, headers: { "x-forwarded-for": "192.0.2.7", ...headers } });
  await answer.arrayBuffer();
  return answer.headers.get("strict-transport-security");
}

const PUBLIC = "public_url: 'https://models.example', trusted_proxies: [10.0.0.0/8]";

describe("browsers keep to TLS", () => {
  test.each(["/ui/", "/docs", "/api/models", "/v1/models", "/nowhere"])("once they came by it, at %s", async (path) => {
    expect(await told(await start(PUBLIC), path, "https")).toBe("max-age=31536000");
  });

  test("by what the nearest proxy says alone, and only where it is trusted", async () => {
    const app = await start(PUBLIC);
    expect(await told(app, "/api/models", "http, https")).toBe("max-age=31536000");
    for (const proto of [null, "http", "https, http"]) expect(await told(app, "/api/models", proto)).toBeNull();
    expect(await told(app, "/api/models", "https", "192.0.2.1")).toBeNull();
  });

  test.each([
    "public_url: 'http://models.example', trusted_proxies: [10.0.0.0/8]",
    "public_url: 'https://localhost', trusted_proxies: [10.0.0.0/8]",
    "public_url: 'https://models.example'",
    "trusted_proxies: [10.0.0.0/8]",
    `${PUBLIC}, strict_transport_seconds: 0`,
  ])("but not with %s", async (settings) => {
    expect(await told(await start(settings), "/api/models", "https")).toBeNull();
  });

  test("for as long as the operator says", async () => {
    const app = await start(`${PUBLIC}, strict_transport_seconds: 600`);
    expect(await told(app, "/api/models", "https")).toBe("max-age=600");
  });
});
