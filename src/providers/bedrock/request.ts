import { SetupError } from "../../contract/setup-error.ts";
import type { Target, UpstreamRequest } from "../dialect.ts";
import { findCredentials, textParam } from "./credentials.ts";
import { parseModel } from "./model.ts";
import { TITLE } from "./title.ts";

type BedrockCall = "converse" | "converse-stream" | "invoke";

export function bedrockRequest(target: Target, call: BedrockCall, body: object): UpstreamRequest {
  const credentials = findCredentials(target);
  const accept = call === "converse-stream" ? "application/vnd.amazon.eventstream" : "application/json";
  const request = {
    url: address(target, call),
    headers: { "content-type": "application/json", accept },
    body: JSON.stringify(body),
  };
  if (credentials.kind === "bearer") {
    return { ...request, headers: { ...request.headers, authorization: `Bearer ${credentials.key}` } };
  }
  return {
    ...request,
    sign: { kind: "aws", service: "bedrock", region: getRegion(target), ...credentials.keys },
  };
}

/** `model_id` is the ARN that stands for the deployment's model, where its name alone would not do. */
function address(target: Target, call: BedrockCall): string {
  const id = textParam(target, "model_id") ?? parseModel(target.upstreamModel).id;
  return `${base(target)}/model/${encodeURIComponent(id)}/${call}`;
}

function base(target: Target): string {
  const given = givenBase(target);
  if (given !== null) return given.replace(/\/+$/, "");
  const region = getRegion(target);
  const domain = region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
  return `https://bedrock-runtime.${region}.${domain}`;
}

const givenBase = (target: Target): string | null =>
  textParam(target, "aws_bedrock_runtime_endpoint") ??
  target.apiBase ??
  (target.env("AWS_BEDROCK_RUNTIME_ENDPOINT") || target.env("AWS_ENDPOINT_URL_BEDROCK_RUNTIME") || null);

const AWS_HOST = /^https?:\/\/[^/]*bedrock-runtime(?:-fips)?\.([a-z0-9-]+)\.(?:amazonaws\.com|vpce\.)/;

function getRegion(target: Target): string {
  const region =
    textParam(target, "aws_region_name") ??
    parseModel(textParam(target, "model_id") ?? "").region ??
    parseModel(target.upstreamModel).region ??
    AWS_HOST.exec(givenBase(target) ?? "")?.[1] ??
    (target.env("AWS_REGION") || target.env("AWS_DEFAULT_REGION") || target.env("AWS_REGION_NAME"));
  if (region && /^[a-z0-9-]+$/.test(region)) return region;
  throw new SetupError(
    "upstream_authentication",
    `${TITLE} needs a region: set aws_region_name in the deployment or AWS_REGION in the environment.`,
  );
}
