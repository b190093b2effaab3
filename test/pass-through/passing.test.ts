import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { MASTER_KEY, startApp } from "../app.ts";
import { Target } from "./target.ts";

const SECRET = "hush-hush-0123456789";
process.env.PASS_THROUGH_TEST_SECRET = SECRET;
const target = new Target();
const away = new Target();
const awayUrl = away.url;
await away.stop();

const app = await startApp(`
environment_variables: { TARGET_TOKEN: ${SECRET} }
general_settings:
  max_request_size_mb: 1
  key_headers: [x-gw-api-key, authorization, x-team-key]
  header_prefix: acme
  pass_through_endpoints:
    - path: /bria
      target: ${target.url}/base?fixed=1
      include_subpath: true
      headers: { Authorization: "Bearer os.environ/TARGET_TOKEN", X-Tenant: acme, x-plain: os.environ/TARGET_TOKEN }
      default_query_params: { region: eu, key: os.environ/TARGET_TOKEN }
    - { path: /whole, target: "${target.url}/whole", methods: [post], forward_headers: true }
    - { path: /whole, target: "${target.url}/read", methods: [GET] }
    - { path: /open, target: "${target.url}/open", auth: false }
    - { path: /away, target: "${awayUrl}/x?token=${SECRET}" }
    - { path: /slow, target: "${target.url}/slow", timeout: 0.2 }
`);
afterAll(async () => {
  await app.close();
  await target.stop();
});
beforeEach(() => {
  target.answer = () => Response.json({ ok: true });
});

const send = (path: string, init: Parameters<typeof app.call>[1] = {}) => app.call(path, { key: MASTER_KEY, ...init });

describe("a call that is passed on", () => {
  test("reaches the target with its method, path, query and body", async () => {
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"]) {
      const body = method === "GET" ? {} : { body: `said by ${method}` };
      const response = await send("/bria/v1/a%2Fb/c?q=a%20b&q=c&region=us", { method, ...body });
      expect([response.status, await response.json()]).toEqual([200, { ok: true }]);
      expect(target.last).toMatchObject({
        method,
        address: `/base/v1/a%2Fb/c?fixed=1&q=a%20b&q=c&region=us&key=${SECRET}`,
        body: method === "GET" ? "" : `said by ${method}`,
      });
    }
    await send("/bria");
    expect(target.last.address).toBe(`/base?fixed=1&region=eu&key=${SECRET}`);
    await send("/bria/");
    expect(target.last.address).toBe(`/base/?fixed=1&region=eu&key=${SECRET}`);
  });

  test("cannot replace a parameter of the target's own, nor leave its path", async () => {
    await send("/bria/x?fixed=2&%66ixed=3&other=4");
    expect(target.last.address).toBe(`/base/x?fixed=1&other=4&region=eu&key=${SECRET}`);
    const seen = target.got.length;
    for (const path of ["/bria/%2e%2e%2fadmin", "/bria/a/..%5c..%5cadmin", "/bria/..%2f..%2fadmin"]) {
      expect((await send(path)).status).toBe(400);
    }
    expect(target.got.length).toBe(seen);
    expect((await send("/brian")).status).toBe(404);
    expect((await send("/whole/below")).status).toBe(404);
  });

  test("carries the operator's headers, what describes it and x-pass-*; never who calls", async () => {
    const headers = {
      "content-type": "text/x-own",
      accept: "text/plain",
      cookie: "__Host-turnpike=session",
      "x-team-key": MASTER_KEY,
      "x-api-key": "of-somebody",
      "x-gw-tags": "a",
      "x-acme-tags": "b",
      "x-other": "1",
      "x-forwarded-for": "10.0.0.1",
      connection: "x-dropped",
      "x-dropped": "1",
      "x-pass-x-wanted": "yes",
      "x-pass-authorization": "Bearer mine",
      "x-pass-x-tenant": "other",
      "x-pass-host": "elsewhere.test",
      "x-pass-transfer-encoding": "chunked",
      "x-pass-x-forwarded-for": "10.0.0.2",
    };
    await send("/bria", { headers, body: "x" });
    const got = target.last.headers;
    expect(
      Object.fromEntries(
        ["authorization", "x-tenant", "x-plain", "content-type", "accept", "x-wanted"].map((name) => [
          name,
          got.get(name),
        ]),
      ),
    ).toEqual({
      authorization: `Bearer ${SECRET}`,
      "x-tenant": "acme",
      "x-plain": SECRET,
      "content-type": "text/x-own",
      accept: "text/plain",
      "x-wanted": "yes",
    });
    for (const name of [
      "cookie",
      "x-team-key",
      "x-api-key",
      "x-gw-tags",
      "x-acme-tags",
      "x-other",
      "x-forwarded-for",
      "x-dropped",
      "x-pass-x-wanted",
    ]) {
      expect([name, got.get(name)]).toEqual([name, null]);
    }
    expect(got.get("host")).toBe(new URL(target.url).host);
    expect(JSON.stringify([...got])).not.toContain(MASTER_KEY);
  });

  test("carries all other headers where the operator says so, and still not who calls", async () => {
    await send("/whole", {
      headers: {
        "x-other": "1",
        "user-agent": "mine/1",
        "x-api-key": MASTER_KEY,
        "x-pass-authorization": "Bearer mine",
      },
      body: "x",
    });
    const got = target.last.headers;
    expect([got.get("x-other"), got.get("user-agent"), got.get("authorization"), got.get("x-api-key")]).toEqual([
      "1",
      "mine/1",
      "Bearer mine",
      null,
    ]);
    expect(JSON.stringify([...got])).not.toContain(MASTER_KEY);
  });

  test("goes by its method where a path has a target for each; others are 405", async () => {
    await send("/whole");
    expect(target.last.address).toBe("/read");
    await send("/whole", { body: "x" });
    expect(target.last.address).toBe("/whole");
    expect((await send("/whole", { method: "PUT", body: "x" })).status).toBe(405);
  });
});

describe("the target's answer", () => {
  test("comes back with its status, body and headers, without what concerns its own address", async () => {
    const own = {
      "content-type": "text/html",
      "x-theirs": "1",
      "set-cookie": "__Host-turnpike=stolen",
      "access-control-allow-origin": "*",
      "x-gw-response-cost": "100",
      "x-acme-model-id": "m",
      "clear-site-data": '"*"',
      "content-security-policy": "default-src *",
      etag: '"1"',
    };
    target.answer = () => new Response("<p>", { status: 201, headers: own });
    const response = await send("/bria");
    expect([response.status, await response.text()]).toEqual([201, "<p>"]);
    const got = Object.fromEntries(response.headers);
    expect(got).toMatchObject({ "content-type": "text/html", "x-theirs": "1", etag: '"1"', "x-gw-response-cost": "0" });
    expect(got).toMatchObject({ "content-security-policy": "sandbox", "x-content-type-options": "nosniff" });
    for (const name of ["set-cookie", "access-control-allow-origin", "x-acme-model-id", "clear-site-data"])
      expect(got).not.toHaveProperty(name);
  });

  test.each([301, 304, 400, 404, 429, 500, 503])(
    "of status %d comes back as it is, and no redirect is followed",
    async (status) => {
      const seen = target.got.length;
      const headers = { location: `${target.url}/elsewhere`, "retry-after": "7" };
      target.answer = () => new Response(status === 304 ? null : "theirs", { status, headers });
      const response = await send("/bria");
      expect([response.status, await response.text()]).toEqual([status, status === 304 ? "" : "theirs"]);
      expect([response.headers.get("location"), response.headers.get("retry-after")]).toEqual([headers.location, "7"]);
      expect(target.got.length).toBe(seen + 1);
    },
  );

  test("to HEAD is that to HEAD, and that to OPTIONS ours", async () => {
    target.answer = () => new Response("12345", { headers: { etag: '"h"' } });
    const head = await send("/bria", { method: "HEAD" });
    expect([head.status, head.headers.get("etag"), head.headers.get("content-length"), await head.text()]).toEqual([
      200,
      '"h"',
      "5",
      "",
    ]);
    expect(target.last.method).toBe("HEAD");
    const seen = target.got.length;
    expect((await send("/whole", { method: "OPTIONS" })).headers.get("allow")).toContain("POST");
    expect(target.got.length).toBe(seen);
  });

  test("is none where the target is away or too slow", async () => {
    const gone = await send("/away");
    expect([gone.status, await gone.json()]).toMatchObject([503, { error: { code: "connection_error" } }]);
    const held = Promise.withResolvers<Response>();
    target.answer = () => held.promise;
    const late = await send("/slow");
    expect([late.status, await late.json()]).toMatchObject([408, { error: { code: "timeout" } }]);
    held.resolve(new Response());
  });

  test("never is a WebSocket", async () => {
    const response = await send("/bria", { headers: { upgrade: "websocket", connection: "upgrade" } });
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: { message: expect.stringContaining("WebSockets") } },
    ]);
  });
});

describe("bodies", () => {
  test("are passed on as they come, in both directions", async () => {
    target.readsFirst = false;
    const said = new TransformStream<Uint8Array, Uint8Array>();
    const mouth = said.writable.getWriter();
    target.answer = (request) => new Response(request.body as never);
    const pending = send("/bria", { body: said.readable as never });
    void mouth.write(Buffer.from("one"));
    const response = await pending;
    const ear = (response.body as ReadableStream<Uint8Array>).getReader();
    const hear = async () => Buffer.from((await ear.read()).value ?? "").toString();
    expect(await hear()).toBe("one");
    void mouth.write(Buffer.from("two"));
    expect(await hear()).toBe("two");
    await mouth.close();
    expect((await ear.read()).done).toBe(true);
    target.readsFirst = true;
  });

  test("that are too large are refused, whether they say so or not", async () => {
    const seen = target.got.length;
    const declared = await send("/bria", {
      body: "x".repeat(1024 * 1024 + 1),
      headers: { "content-length": String(1024 * 1024 + 1) },
    });
    expect([declared.status, target.got.length]).toEqual([413, seen]);
    const chunks = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(64 * 1024)),
    });
    const endless = await send("/bria", { body: chunks as never });
    expect([endless.status, await endless.json()]).toMatchObject([413, { error: { code: "request_too_large" } }]);
    expect(target.got.length).toBe(seen);
  });

  test("of the target are asked for only as fast as they are read", async () => {
    let made = 0;
    target.answer = () =>
      new Response(
        new ReadableStream({
          pull(controller) {
            made++;
            controller.enqueue(new Uint8Array(1024 * 1024));
          },
        }),
      );
    const response = await send("/bria");
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    for (let turn = 0; turn < 50; turn++) {
      if (turn % 10 === 0) await reader.read();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(made).toBeLessThan(100);
    await reader.cancel();
  });

  test("of the target end there when the caller leaves", async () => {
    const left = Promise.withResolvers<void>();
    target.answer = (request) => {
      request.signal.addEventListener("abort", () => left.resolve());
      return new Response(new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from("one")) }));
    };
    const response = await send("/bria");
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    await reader.cancel();
    await left.promise;
  });
});

describe("who may", () => {
  test("is who has a key, unless the operator opens a path to everybody", async () => {
    const seen = target.got.length;
    expect((await app.call("/bria")).status).toBe(401);
    expect((await app.call("/bria/x", { key: "sk-nobody-knows-this-one" })).status).toBe(401);
    expect(target.got.length).toBe(seen);
    const open = await app.call("/open", { headers: { authorization: "Bearer theirs", cookie: "a=b" } });
    expect([open.status, open.headers.has("x-gw-response-cost")]).toEqual([200, false]);
    expect([target.last.headers.get("authorization"), target.last.headers.get("cookie")]).toEqual([null, null]);
  });

  test("learns nothing of what is sent to the target, nor does the log", async () => {
    const shown = [
      await (await app.call("/openapi.json")).text(),
      await (await send("/api/admin/settings")).text(),
      await (await send("/away")).text(),
      ...app.logged,
    ].join("\n");
    expect(shown).toContain("/bria");
    expect(shown).not.toContain(SECRET);
    expect(shown).not.toContain(new URL(target.url).host);
  });
});
