import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { listen } from "../../src/http/server.ts";
import { MASTER_KEY, startApp, type TestApp } from "../app.ts";
import { faultCases, samplePath } from "./faults.ts";

/** The smallest limit that can be configured keeps the oversized bodies small. */
const app: TestApp = await startApp("general_settings:\n  max_request_size_mb: 1\n");
const login = { email: app.first.adminEmail, password: app.first.generatedPassword };
const { token } = (await (await app.call("/api/auth/token", { json: login })).json()) as { token: string };
const cases = faultCases(app.service.routes, { gateway: 1024 * 1024, management: 1024 * 1024 }, token);
afterAll(() => app.close());

async function check(response: Response, expected: (typeof cases)[number]): Promise<void> {
  const body = await response.text();
  expect(`${response.status} ${body}`).toStartWith(`${expected.status} {`);
  expect(response.headers.get("content-type")).toContain("application/json");
  expect(response.headers.get("x-gw-call-id")).toMatch(/^[\w-]{36}$/);
  for (const [name, value] of Object.entries(expected.headers ?? {})) expect(response.headers.get(name)).toBe(value);
  const parsed = JSON.parse(body);
  if (expected.status === 422) expect(parsed.detail[0]).toContainKeys(["loc", "msg", "type"]);
  else if (typeof parsed.error === "string") expect(parsed.code).toBe(expected.code);
  else if (parsed.type === "error") {
    const { error, request_id: id } = parsed;
    expect([error.type, id]).toEqual([expected.code, response.headers.get("request-id")]);
  } else if (typeof parsed.error.status === "string") {
    expect(parsed.error).toEqual({ code: expected.status, status: expected.code, message: expect.any(String) });
  } else
    expect(parsed.error).toMatchObject({ code: expected.code, name: expect.any(String), message: expect.any(String) });
  expect(body).not.toMatch(/\bat .+:\d+:\d+/);
}

describe("every route, called wrongly, without a socket", () => {
  test.each(cases.map((one) => [one.name, one] as const))("%s", async (_, one) => {
    const { method, headers, body } = one.init;
    const response = await app.call(one.path, {
      ...(method ? { method } : {}),
      headers: { ...headers },
      ...(body ? { body: body as Bun.BodyInit } : {}),
    });
    await check(response, one);
  });
});

/** One case for each kind of fault and form of error body. The socket is read before the route is known. */
const socketCases = [
  ...Map.groupBy(cases, ({ name, status, code }) => `${name.split(": ").at(-1)} ${status} ${code}`).values(),
].flatMap(([first]) => first ?? []);

describe("every kind of wrong call, over a socket", () => {
  let url = "";
  let drain = async (): Promise<unknown> => undefined;
  beforeAll(() => {
    const server = listen(app.service.dispatcher, { host: "127.0.0.1", port: 0, drainTimeoutMs: 1_000 });
    url = server.url;
    drain = () => server.drain();
  });
  afterAll(() => drain());

  test.each(socketCases.map((one) => [one.name, one] as const))("%s", async (_, one) => {
    await check(await fetch(url + one.path, one.init), one);
  });
});

describe("every route", () => {
  const paths = app.service.routes.flatMap((route) => route.paths.map((path) => [path, route] as const));

  test.each(paths)("%s answers OPTIONS with what it allows", async (path, route) => {
    const response = await app.call(samplePath(path), { method: "OPTIONS" });
    expect(response.status).toBe(204);
    expect(response.headers.get("allow")).toContain(route.method);
    expect(response.headers.get("access-control-allow-origin")).toBeNull();
  });

  const readable = paths.filter(([, route]) => route.method === "GET" && route.auth !== "session");
  test.each(readable)("%s answers HEAD as GET, without the body", async (path) => {
    const get = await app.call(samplePath(path), { key: MASTER_KEY });
    const head = await app.call(samplePath(path), { method: "HEAD", key: MASTER_KEY });
    expect(head.status).toBe(get.status);
    expect(head.headers.get("content-type")).toBe(get.headers.get("content-type"));
    expect(await head.text()).toBe("");
  });

  const working = app.service.routes.filter((route) => !route.whileDraining);
  test.each(working.map((route) => [route.paths[0], route] as const))(
    "%s is 503 while the process drains",
    async (path, route) => {
      app.draining = true;
      const response = await app.call(samplePath(path), { method: route.method, key: MASTER_KEY });
      app.draining = false;
      expect(response.status).toBe(503);
      expect(response.headers.get("retry-after")).toBe("1");
    },
  );
});
