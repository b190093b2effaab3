import { describe, expect, test } from "bun:test";
import { GatewayError } from "../../contract/errors.ts";
import type { Target } from "../dialect.ts";
import { bedrockRequest } from "./request.ts";

const CLAUDE = "anthropic.claude-3-5-sonnet-20241022-v2:0";

function target(changes: Partial<Omit<Target, "env">> & { env?: Record<string, string> } = {}): Target {
  const { env = {}, ...fields } = changes;
  return {
    provider: "bedrock",
    upstreamModel: CLAUDE,
    apiBase: null,
    apiKey: null,
    apiVersion: null,
    params: {},
    ...fields,
    env: (name) => env[name],
  };
}

const KEYS = { aws_access_key_id: "AKID", aws_secret_access_key: "secret", aws_region_name: "eu-west-1" };

describe("a request to Bedrock", () => {
  test("goes to the region's address with the model's id escaped", () => {
    const request = bedrockRequest(target({ params: KEYS }), "converse", { messages: [] });
    expect(request).toEqual({
      url: "https://bedrock-runtime.eu-west-1.amazonaws.com/model/anthropic.claude-3-5-sonnet-20241022-v2%3A0/converse",
      headers: { "content-type": "application/json", accept: "application/json" },
      body: '{"messages":[]}',
      sign: {
        kind: "aws",
        service: "bedrock",
        region: "eu-west-1",
        accessKeyId: "AKID",
        secretAccessKey: "secret",
        sessionToken: null,
      },
    });
  });

  test("for a stream asks for events", () => {
    const request = bedrockRequest(target({ params: KEYS }), "converse-stream", {});
    expect(request.url).toEndWith("/converse-stream");
    expect(request.headers.accept).toBe("application/vnd.amazon.eventstream");
  });

  test.each([
    ["converse/us.anthropic.claude-sonnet-4-20250514-v1:0", "us.anthropic.claude-sonnet-4-20250514-v1%3A0"],
    ["invoke/eu.amazon.nova-pro-v1:0", "eu.amazon.nova-pro-v1%3A0"],
    ["ap-south-1/meta.llama3-70b-instruct-v1:0", "meta.llama3-70b-instruct-v1%3A0"],
    [
      "arn:aws:bedrock:us-east-2:123456789012:application-inference-profile/r9n6abcd",
      "arn%3Aaws%3Abedrock%3Aus-east-2%3A123456789012%3Aapplication-inference-profile%2Fr9n6abcd",
    ],
  ])("for %s names the model that Bedrock knows", (upstreamModel, path) => {
    const { url } = bedrockRequest(target({ upstreamModel, params: KEYS }), "converse", {});
    expect(new URL(url).pathname).toBe(`/model/${path}/converse`);
  });

  test("calls the ARN that the deployment's model_id has", () => {
    const model_id = "arn:aws:bedrock:us-east-2:123456789012:provisioned-model/abc";
    const { url } = bedrockRequest(target({ apiKey: "key", params: { model_id } }), "converse", {});
    expect(url).toBe(
      "https://bedrock-runtime.us-east-2.amazonaws.com/model/arn%3Aaws%3Abedrock%3Aus-east-2%3A123456789012%3Aprovisioned-model%2Fabc/converse",
    );
  });

  test.each([
    [
      { params: { ...KEYS, aws_bedrock_runtime_endpoint: "https://vpce.example/" }, apiBase: "https://other" },
      "https://vpce.example",
    ],
    [{ params: KEYS, apiBase: "http://127.0.0.1:8080//" }, "http://127.0.0.1:8080"],
    [{ params: KEYS, env: { AWS_BEDROCK_RUNTIME_ENDPOINT: "https://env.example" } }, "https://env.example"],
    [{ params: { ...KEYS, aws_region_name: "cn-north-1" } }, "https://bedrock-runtime.cn-north-1.amazonaws.com.cn"],
  ])("finds its address %#", (changes, base) => {
    expect(bedrockRequest(target(changes), "converse", {}).url).toStartWith(`${base}/model/`);
  });

  test.each<[string, Parameters<typeof target>[0], string]>([
    ["the deployment", { params: KEYS, env: { AWS_REGION: "us-east-1" } }, "eu-west-1"],
    ["the model's folder", { upstreamModel: `ap-south-1/${CLAUDE}`, env: { AWS_REGION: "us-east-1" } }, "ap-south-1"],
    ["the ARN", { upstreamModel: "arn:aws:bedrock:us-east-2:1:inference-profile/x" }, "us-east-2"],
    ["the address", { apiBase: "https://bedrock-runtime.sa-east-1.amazonaws.com" }, "sa-east-1"],
    ["AWS_REGION", { env: { AWS_REGION: "us-east-1", AWS_DEFAULT_REGION: "us-west-1" } }, "us-east-1"],
    ["AWS_DEFAULT_REGION", { env: { AWS_DEFAULT_REGION: "us-west-1", AWS_REGION_NAME: "x" } }, "us-west-1"],
    ["AWS_REGION_NAME", { env: { AWS_REGION_NAME: "us-west-2" } }, "us-west-2"],
  ])("takes its region from %s", (_, changes, region) => {
    const env = { AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "b", ...changes?.env };
    expect(bedrockRequest(target({ ...changes, env }), "converse", {}).sign).toMatchObject({ region });
  });

  test("with a bearer key is not signed, and a foreign address needs no region", () => {
    const own = bedrockRequest(target({ apiKey: "abc", apiBase: "http://x", params: KEYS }), "converse", {});
    expect(own.headers.authorization).toBe("Bearer abc");
    expect(own.sign).toBeUndefined();
    const usual = bedrockRequest(
      target({ env: { AWS_BEARER_TOKEN_BEDROCK: "def", AWS_ACCESS_KEY_ID: "a", AWS_REGION: "us-east-1" } }),
      "converse",
      {},
    );
    expect(usual.headers.authorization).toBe("Bearer def");
    expect(usual.sign).toBeUndefined();
  });

  test("signs with the deployment's keys rather than with the environment's, and never mixes the two", () => {
    const env = {
      AWS_BEARER_TOKEN_BEDROCK: "bearer",
      AWS_ACCESS_KEY_ID: "other",
      AWS_SECRET_ACCESS_KEY: "other",
      AWS_SESSION_TOKEN: "other",
    };
    const own = bedrockRequest(target({ params: KEYS, env }), "converse", {});
    expect(own.sign).toMatchObject({ accessKeyId: "AKID", secretAccessKey: "secret", sessionToken: null });
    const { AWS_BEARER_TOKEN_BEDROCK: _, ...keys } = env;
    const usual = bedrockRequest(target({ env: { ...keys, AWS_REGION: "us-east-1" } }), "converse", {});
    expect(usual.sign).toMatchObject({ accessKeyId: "other", sessionToken: "other" });
  });

  test.each<[string, Parameters<typeof target>[0], RegExp]>([
    ["a key", { env: { AWS_REGION: "us-east-1" } }, /needs a key: set api_key.*AWS_BEARER_TOKEN_BEDROCK/],
    ["half of its key", { params: { aws_access_key_id: "a" } }, /both halves/],
    ["a region", { apiKey: "abc" }, /needs a region: set aws_region_name/],
    ["a region that is one", { apiKey: "abc", params: { aws_region_name: "evil.example/" } }, /needs a region/],
    ["keys of its own beside a role", { params: { ...KEYS, aws_role_name: "arn:aws:iam::1:role/x" } }, /aws_role_name/],
  ])("without %s is the operator's fault", (_, changes, words) => {
    const send = () => bedrockRequest(target(changes), "converse", {});
    expect(send).toThrow(words);
    expect(send).toThrow(GatewayError);
    try {
      send();
    } catch (thrown) {
      expect(thrown).toMatchObject({ kind: "upstream_authentication" });
    }
  });
});
