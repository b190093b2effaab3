import { afterAll, describe, expect, test } from "bun:test";
import { openApiPath } from "../../src/http/path.ts";
import { startApp } from "../app.ts";

const app = await startApp();
afterAll(() => app.close());

type Operation = {
  operationId: string;
  responses: Record<string, unknown>;
  security: unknown[];
  requestBody?: unknown;
};
type Document = {
  openapi: string;
  info: { version: string };
  paths: Record<string, Record<string, Operation>>;
  components: { securitySchemes: Record<string, unknown>; schemas: Record<string, unknown> };
};
const document = (await (await app.call("/openapi.json")).json()) as Document;

describe("the API description", () => {
  test("is OpenAPI 3.1 of the contract's version", () => {
    expect(document.openapi).toBe("3.1.0");
    expect(document.info.version).toBe("1.84.0");
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
    const references = JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g);
    for (const [, name] of references) expect(Object.keys(document.components.schemas)).toContain(name ?? "");
    for (const item of Object.values(document.paths)) {
      for (const { security } of Object.values(item)) {
        for (const name of security.flatMap((one) => Object.keys(one as object))) {
          expect(Object.keys(document.components.securitySchemes)).toContain(name);
        }
      }
    }
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
