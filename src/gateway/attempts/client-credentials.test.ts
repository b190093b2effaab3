import { describe, expect, test } from "bun:test";
import type { Deployment } from "../../contract/deployment.ts";
import { CREDENTIAL_FIELDS } from "../../contract/params.ts";
import { callerCredentials } from "./client-credentials.ts";

const deployment = (allowed?: unknown): Deployment => ({
  id: "d",
  group: "g",
  provider: "openai",
  upstreamModel: "m",
  apiBase: "https://operator.example/v1",
  apiKey: "operator-key",
  apiVersion: null,
  params: allowed === undefined ? {} : { configurable_clientside_auth_params: allowed },
  info: {},
});

describe("a request that says where it goes or with whose key", () => {
  test.each([...CREDENTIAL_FIELDS])("is refused for %s, at the top and inside other fields", (field) => {
    const value = "https://attacker.example";
    for (const request of [
      { [field]: value },
      { [field]: { nested: value } },
      { extra_body: { [field]: value } },
      { metadata: { [field]: value } },
      { gw_metadata: { [field]: value } },
      { litellm_metadata: { [field]: value } },
      { litellm_embedding_config: { [field]: value } },
    ]) {
      expect(() => callerCredentials(request, deployment())).toThrow("not allowed");
    }
  });

  test.each(["langfuse_secret_key", "langfuse_host", "langsmith_api_key", "vertex_ai_credentials"])(
    "or where its log goes is refused: %s",
    (field) => expect(() => callerCredentials({ [field]: "x" }, deployment())).toThrow("not allowed"),
  );

  test("with nulls asks for nothing", () => {
    expect(callerCredentials({ api_base: null, api_key: null }, deployment())).toEqual({
      override: {},
      guarded: false,
    });
  });

  test("may bring its own address with its own key where the deployment lists both", () => {
    const request = { api_base: "https://mine.example/v1", api_key: "mine" };
    expect(callerCredentials(request, deployment(["api_base", "api_key"]))).toEqual({
      override: { apiBase: "https://mine.example/v1", apiKey: "mine" },
      guarded: true,
    });
  });

  test("never takes the operator's key to an address of its own", () => {
    expect(() => callerCredentials({ api_base: "https://mine.example" }, deployment(["api_base"]))).toThrow(
      "own `api_key`",
    );
  });

  test("may be held to a pattern, which the whole value must fit", () => {
    const allowed = [{ api_base: "https://[a-z]+\\.example/v1" }, "api_key"];
    const request = (api_base: string) => ({ api_base, api_key: "mine" });
    expect(callerCredentials(request("https://mine.example/v1"), deployment(allowed)).guarded).toBe(true);
    for (const other of ["https://mine.example/v1/../x", "x https://mine.example/v1", "https://evil.test/v1"]) {
      expect(() => callerCredentials(request(other), deployment(allowed))).toThrow("not allowed");
    }
  });
});

test.each(["", " ", "\t", "a\r\nx: 1", "ключ", "a b"])(
  "a key of the caller's that is %j is none, so the operator's is not taken",
  (api_key) => {
    const request = { api_base: "https://mine.example/v1", api_key };
    expect(() => callerCredentials(request, deployment(["api_base", "api_key"]))).toThrow("plain text");
  },
);

test("an expression that is none allows nothing", () => {
  const request = { api_base: "https://mine.example/v1", api_key: "mine" };
  expect(() => callerCredentials(request, deployment([{ api_base: "(" }, "api_key"]))).toThrow("not allowed");
});
