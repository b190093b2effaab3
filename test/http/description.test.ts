import { afterAll, describe, expect, test } from "bun:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import manifest from "../../package.json" with { type: "json" };
import { openApiPath } from "../../src/http/path.ts";
import { inFull } from "../api-description.ts";
import { MASTER_KEY, startApp } from "../app.ts";

const app = await startApp();
afterAll(() => app.close());

type Operation = {
  operationId: string;
  responses: Record<string, unknown>;
  security: unknown[];
  parameters?: unknown[];
  requestBody?: unknown;
};
type Document = {
  openapi: string;
  info: { version: string; description: string };
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, unknown>> & { securitySchemes: Record<string, unknown> };
};
type Content = { description?: string; content: Record<string, { schema: unknown }> };
const document = (await (await app.call("/openapi.json")).json()) as Document;

/** What a schema is on the wire. */
const plain = (schema: unknown): unknown => JSON.parse(JSON.stringify(schema));

describe("the API description", () => {
  test("is OpenAPI 3.1 of the contract's version", () => {
    expect(document.openapi).toBe("3.1.0");
    expect(document.info.version).toBe("1.84.0");
  });

  test("says that its version is not the program's, and where that is told", async () => {
    expect(document.info.description).toContain("1.84.0 is the version of the interface");
    expect(document.info.description).toContain("`x-gw-version`");
    const answer = await app.call("/v1/chat/completions", {
      key: MASTER_KEY,
      json: { model: "echo", messages: [{ role: "user", content: "hi" }] },
    });
    expect(answer.headers.get("x-gw-version")).toBe(manifest.version);
  });

  test("has every path of every route that is not hidden, with its body and its errors", () => {
    for (const route of app.service.routes.filter((one) => !one.hidden)) {
      for (const path of route.paths) {
        const operation = document.paths[openApiPath(path)]?.[route.method.toLowerCase()];
        expect(operation, `${route.method} ${path}`).toBeDefined();
        expect(operation?.requestBody !== undefined).toBe(route.body !== undefined || route.form !== undefined);
        expect(Object.keys(operation?.responses ?? {})).toContain("500");
        if (route.auth !== "none") expect(Object.keys(operation?.responses ?? {})).toContain("401");
      }
    }
  });

  test("names each operation once and refers to nothing that is missing", () => {
    const ids = Object.values(document.paths).flatMap((item) =>
      Object.values(item).map((operation) => operation.operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
    const references = Array.from(JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g), ([, to = ""]) => to);
    expect(references.length).toBeGreaterThan(1000);
    for (const to of new Set(references)) {
      expect(to).toMatch(/^#\/components\/(schemas|parameters|requestBodies|responses)\/[A-Za-z0-9._-]+$/);
      const [, , section = "", name = ""] = to.split("/");
      expect(Object.keys(document.components[section] ?? {})).toContain(name);
    }
    for (const item of Object.values(document.paths)) {
      for (const { security } of Object.values(item)) {
        for (const name of security.flatMap((one) => Object.keys(one as object))) {
          expect(Object.keys(document.components.securitySchemes)).toContain(name);
        }
      }
    }
  });

  test("says of each operation what its route declares, wherever that stands", () => {
    for (const route of app.service.routes.filter((one) => !one.hidden)) {
      for (const path of route.paths) {
        const at = `${route.method} ${path}`;
        const written = document.paths[openApiPath(path)]?.[route.method.toLowerCase()];
        const operation = inFull(written, document) as Operation;
        const body = route.form?.schema ?? route.body;
        if (body) {
          const { content } = operation.requestBody as Content;
          expect(content[route.form ? "multipart/form-data" : "application/json"]?.schema, at).toEqual(plain(body));
        }
        const done = operation.responses[route.successStatus ?? 200] as Content;
        if (typeof route.success === "object")
          expect(done.content["application/json"]?.schema, at).toEqual(plain(route.success));
        const types = [typeof route.success === "string" ? route.success : "application/json"];
        if (route.success) expect(Object.keys(done.content), at).toEqual([...types, ...(route.otherTypes ?? [])]);
        const { properties = {}, required = [] } = (route.query ?? {}) as {
          properties?: Record<string, { description?: string }>;
          required?: string[];
        };
        const query = Object.entries(properties).map(([name, { description, ...schema }]) => ({
          name,
          in: "query",
          ...(required.includes(name) ? { required: true } : {}),
          ...(description ? { description } : {}),
          schema: plain(schema),
        }));
        const told = (operation.parameters ?? []) as { in: string }[];
        expect(told.filter((one) => one.in === "query") as unknown[], at).toEqual(query);
      }
    }
  });

  test("says what operations have in common once", () => {
    const told = [...Object.values(document.components.responses ?? {})].concat(
      Object.values(document.paths).flatMap((item) =>
        Object.values(item).flatMap(({ responses }) => Object.values(responses).filter((one) => !hasReference(one))),
      ),
    );
    const texts = told.map((answer) => JSON.stringify(answer));
    expect(texts.filter((text, at) => texts.indexOf(text) !== at)).toEqual([]);
  });

  test("is compressed for whoever takes it so, and not sent again to whoever has it", async () => {
    const whole = await app.call("/openapi.json");
    const bytes = await whole.bytes();
    const tag = whole.headers.get("etag") ?? "";
    expect([whole.headers.get("content-encoding"), whole.headers.get("vary")]).toEqual([null, "accept-encoding"]);
    expect(tag).not.toBe("");
    const answer = (headers: Record<string, string>, path = "/openapi.json") => app.call(path, { headers });
    for (const [name, decompress] of [["br", brotliDecompressSync] as const, ["gzip", gunzipSync] as const]) {
      const short = await answer({ "accept-encoding": name });
      expect(short.headers.get("content-encoding")).toBe(name);
      expect(short.headers.get("etag")).toBe(tag);
      const sent = await short.bytes();
      expect(sent.length).toBeLessThan(bytes.length / 8);
      expect(Buffer.compare(decompress(sent), bytes)).toBe(0);
    }
    const refused = await answer({ "accept-encoding": "br;q=0, gzip;q=0" });
    expect([refused.headers.get("content-encoding"), (await refused.bytes()).length]).toEqual([null, bytes.length]);
    for (const known of [tag, `"other", ${tag}`, tag.slice(2), "*"]) {
      const known304 = await answer({ "if-none-match": known });
      expect([known304.status, known304.headers.get("etag"), await known304.text()]).toEqual([304, tag, ""]);
    }
    expect((await answer({ "if-none-match": '"other"' })).status).toBe(200);
    const script = await answer({ "accept-encoding": "gzip, br" }, "/docs/assets/swagger-ui-bundle.js");
    expect([script.status, script.headers.get("content-encoding")]).toEqual([200, "br"]);
  });

  test("is a page of our own files alone, with the headers of a page", async () => {
    const response = await app.call("/docs");
    const html = await response.text();
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "referrer-policy": "no-referrer",
    });
    expect(response.headers.get("content-security-policy")).toContain("script-src 'self'");
    expect(html).not.toMatch(/(src|href)="(https?:)?\/\//);
    const files = Array.from(html.matchAll(/(?:src|href)="(\/docs\/assets\/[^"]+)"/g), (found) => found[1] ?? "");
    expect(files.length).toBeGreaterThan(3);
    for (const file of files) expect((await app.call(file)).status).toBe(200);
  });

  test.each([
    "package.json",
    "..%2f..%2fpackage.json",
    "%2e%2e%2fpackage.json",
    "swagger-ui-bundle.js.map",
    "__proto__",
  ])("gives out no other file: %s", async (file) => {
    expect((await app.call(`/docs/assets/${file}`)).status).toBe(404);
  });

  test("is also a text for language models that names every operation", async () => {
    const text = await (await app.call("/llms.txt")).text();
    for (const route of app.service.routes.filter((one) => !one.hidden))
      expect(text).toContain(openApiPath(route.paths[0]));
    expect(text).toContain("`Authorization: Bearer` or `x-gw-api-key`");
  });

  test("is also a skill for agents, whose addresses are served", async () => {
    const answer = await app.call("/api/agents/skill");
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/markdown; charset=utf-8"]);
    const text = await answer.text();
    expect(text).toMatch(/^---\nname: turnpike\ndescription: .+\n---\n/);
    expect(text).toContain("Authorization: Bearer $KEY");
    const paths = new Set(Array.from(text.matchAll(/\/(?:api|v1)\/[\w/-]*\w/g), ([path]) => path));
    expect(paths.size).toBeGreaterThan(7);
    for (const path of paths) expect([path, (await app.call(path, { method: "OPTIONS" })).status]).toEqual([path, 204]);
  });

  test("names no carrier of keys that the server does not take", async () => {
    const hosted = await startApp("general_settings: { hosted: true }\n");
    expect(await (await hosted.call("/api/agents/skill")).text()).toContain(`-H "x-gw-api-key: $KEY"`);
    const text = await (await hosted.call("/llms.txt")).text();
    const { components, paths } = (await (await hosted.call("/openapi.json")).json()) as Document;
    await hosted.close();
    expect(text).toContain("sent as\n`x-gw-api-key`.");
    expect(text).not.toContain("Authorization: Bearer");
    const named = Object.values(paths).flatMap((item) => Object.values(item).flatMap(({ security }) => security));
    expect(new Set(named.flatMap((scheme) => Object.keys(scheme as object)))).not.toContain("BearerKey");
    expect(components.securitySchemes).toMatchObject({ APIKeyHeader: { name: "x-gw-api-key" } });
    expect(components.securitySchemes).not.toHaveProperty("BearerKey");
    expect(document.components.securitySchemes).toHaveProperty("BearerKey");
  });
});

const hasReference = (part: unknown): boolean => typeof part === "object" && part !== null && "$ref" in part;
