import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { openApiPath } from "../../src/http/path.ts";
import type { Route } from "../../src/http/route.ts";
import { startApp } from "../app.ts";

const app = await startApp();
afterAll(() => app.close());
const root = fileURLToPath(new URL("../..", import.meta.url));
const page = readFileSync(`${root}/docs/contract-coverage.md`, "utf8");

/** The rows of the page's tables, as cells. */
const rows = page
  .split("\n")
  .filter((line) => line.startsWith("| ") && !line.startsWith("| Contract |"))
  .map((line) => line.slice(2, -2).split(" | "));

/** The contract's own list, so that neither the page nor the route table can lose one of them unnoticed. */
const both = (method: string, path: string) => [`${method} ${path}`, `${method} /v1${path}`];
const modelled = (path: string) => [
  ...both("POST", path),
  `POST /engines/{model}${path}`,
  `POST /openai/deployments/{model}${path}`,
];
const CONTRACT = [
  ...both("GET", "/models"),
  ...both("GET", "/models/{model_id}"),
  ...both("GET", "/model/info"),
  "GET /model_group/info",
  ...modelled("/chat/completions"),
  ...modelled("/completions"),
  ...modelled("/embeddings"),
  ...both("POST", "/moderations"),
  ...both("POST", "/audio/speech"),
  ...both("POST", "/audio/transcriptions"),
  ...both("POST", "/audio/translations"),
  ...both("GET", "/realtime"),
  ...both("POST", "/realtime/client_secrets"),
  "POST /utils/token_counter",
  "GET /utils/supported_openai_params",
  "POST /utils/transform_request",
  ...both("POST", "/images/generations"),
  ...both("POST", "/images/edits"),
  ...both("GET", "/assistants"),
  ...both("POST", "/assistants"),
  ...both("DELETE", "/assistants/{assistant_id}"),
  ...both("POST", "/threads"),
  ...both("GET", "/threads/{thread_id}"),
  ...both("POST", "/threads/{thread_id}/messages"),
  ...both("GET", "/threads/{thread_id}/messages"),
  ...both("POST", "/threads/{thread_id}/runs"),
  ...both("POST", "/batches"),
  ...both("GET", "/batches"),
  ...both("GET", "/batches/{batch_id}"),
  ...both("POST", "/batches/{batch_id}/cancel"),
  "POST /v1/responses",
  "POST /v1/responses/input_tokens",
  "GET /v1/responses/{response_id}",
  "DELETE /v1/responses/{response_id}",
  "GET /v1/responses/{response_id}/input_items",
  "POST /v1/responses/{response_id}/cancel",
  "POST /v1/conversations",
  "GET /v1/conversations/{conversation_id}",
  "POST /v1/conversations/{conversation_id}",
  "DELETE /v1/conversations/{conversation_id}",
  "GET /v1/conversations/{conversation_id}/items",
  "POST /v1/conversations/{conversation_id}/items",
  "GET /v1/conversations/{conversation_id}/items/{item_id}",
  "DELETE /v1/conversations/{conversation_id}/items/{item_id}",
  "POST /api/auth/token",
  "POST /api/auth/token/refresh",
  "GET /api/auth/me",
  ...both("POST", "/auth/keys"),
  "POST /api/v1/auth/keys",
  "GET /api/models",
  "GET /api/providers",
  "GET /api/api-keys",
  "POST /api/gw/api-keys",
  "POST /api/api-keys/update",
  "POST /api/api-keys/remove",
  "GET /api/gw/organizations/list",
  "PUT /api/gw/organizations",
  "GET /api/gw/teams",
  "POST /api/gw/teams",
  "GET /api/gw/teams/{id}",
  "POST /api/gw/teams/invite-member",
  "POST /api/gw/teams/remove-member",
  "GET /api/balance",
  "GET /api/quota",
  "GET /api/gw/logs",
  "POST /api/gw/messages",
];

const operations = (cell: string): string[] =>
  Array.from(cell.matchAll(/`((?:GET|POST|PUT|DELETE) \/[^`]*)`/g), (found) => found[1] ?? "");
const served = (routes: readonly Route[]): Set<string> =>
  new Set(routes.flatMap((route) => route.paths.map((path) => `${route.method} ${openApiPath(path)}`)));
const missing = (routes: readonly Route[]): string[] =>
  CONTRACT.filter((operation) => !served(routes).has(operation)).map(
    (operation) => `${operation} is not in the route table`,
  );

describe("docs/contract-coverage.md", () => {
  test("has every operation of the contract, and the route table has it too", () => {
    expect(rows.flatMap(([contract = ""]) => operations(contract)).sort()).toEqual([...CONTRACT].sort());
    expect(missing(app.service.routes)).toEqual([]);
  });

  test("is found wanting when a route of the contract is taken away", () => {
    const without = app.service.routes.filter((route) => !route.paths.includes("/v1/embeddings"));
    expect(missing(without)).toEqual(
      expect.arrayContaining([
        "POST /embeddings is not in the route table",
        "POST /v1/embeddings is not in the route table",
      ]),
    );
  });

  test("has no open row: every one has a file that serves it and a test that proves it", () => {
    const faulty = rows.filter(([, by = "", proof = ""]) => {
      const files = [...by.matchAll(/`([^`]+)`/g), ...proof.matchAll(/`([^`]+)`/g)].map((found) => found[1] ?? "");
      return !/`src\//.test(by) || !/\.test\.ts`/.test(proof) || !files.every((file) => existsSync(`${root}/${file}`));
    });
    expect(faulty).toEqual([]);
  });
});
