import type { ChatRequest } from "../../contract/chat.ts";
import { MASKED } from "../../contract/deployment.ts";
import type { EmbeddingRequest } from "../../contract/embeddings.ts";
import type { RawRequest } from "../../contract/models.ts";
import type { FormOperation, Operation } from "../../contract/params.ts";
import { publicAddress } from "../../contract/public-address.ts";
import type { RerankRequest } from "../../contract/rerank.ts";
import { isRecord } from "../../lib/json.ts";
import type { Signing, UpstreamRequest } from "../../providers/dialect.ts";
import { withTargetDetails } from "../attempts/error-details.ts";
import { type ResolvedTarget, resolveForDryRun } from "../attempts/resolve-target.ts";
import type { Fields, GatewayDeps, InferenceCall } from "../call/gateway.ts";
import { isSecretName, secretsOf } from "../health/mask-secrets.ts";
import { notServed } from "./forward.ts";
import { toChatFields } from "./text-over-chat.ts";
import { tokensToText } from "./tokens-to-text.ts";

export type DryOperation = Exclude<Operation, FormOperation | "realtime">;

/** Stands in for every key, so that an encoder never sees a real one. */
const PLACEHOLDER = "dry-run-key";

/** Headers whose values say how, not who. Any other may hold a secret and is masked. */
const OPEN_HEADERS: ReadonlySet<string> = new Set(
  "content-type accept user-agent anthropic-version anthropic-beta openai-beta api-version".split(" "),
);

/** What would be sent for a call, and where: everything but the sending. */
export async function dryRun(
  deps: GatewayDeps,
  call: InferenceCall,
  operation: DryOperation,
  request: Fields,
): Promise<RawRequest> {
  const target = resolveForDryRun({ ...deps, env: withoutKeys(deps.env) }, call, operation, request);
  const endpoint = { ...target.endpoint, apiKey: target.endpoint.apiKey === null ? null : PLACEHOLDER };
  const upstream = await encode(deps, call, operation, { ...target, endpoint }).catch((thrown) => {
    throw withTargetDetails(thrown, target, call.caller);
  });
  const sent = JSON.stringify(request);
  const hidden = [PLACEHOLDER, ...secretsOf(target.deployment)].filter((text) => !sent.includes(escaped(text)));
  return {
    // Where a deployment is reached concerns its operator alone.
    raw_request_api_base: call.caller.master ? describeAddress(upstream.url, target, hidden) : null,
    raw_request_body: describeBody(upstream.body, hidden, sent),
    raw_request_headers: describeHeaders(upstream, target),
    error: null,
  };
}

const withoutKeys = (env: GatewayDeps["env"]) => (name: string) =>
  env(name) !== undefined && isSecretName(name) ? PLACEHOLDER : env(name);

async function encode(
  deps: GatewayDeps,
  call: InferenceCall,
  operation: DryOperation,
  { provider, fields, endpoint }: ResolvedTarget,
): Promise<UpstreamRequest> {
  if (operation === "chat" && provider.chat) return provider.chat.encode(fields as ChatRequest, endpoint);
  if (operation === "rerank" && provider.rerank) return provider.rerank.encode(fields as RerankRequest, endpoint);
  if (operation === "embedding" && provider.embedding) {
    const asked = fields as EmbeddingRequest;
    const input = provider.embedding.decode ? await tokensToText(deps, call, asked.input, "input") : asked.input;
    return provider.embedding.encode({ ...asked, ...(input === undefined ? {} : { input }) }, endpoint);
  }
  if (operation === "completion" && !provider.completion && provider.chat) {
    const prompt = await tokensToText(deps, call, fields.prompt as EmbeddingRequest["input"], "prompt");
    return provider.chat.encode(toChatFields(fields, [prompt].flat().join("\n")) as ChatRequest, endpoint);
  }
  if (operation === "completion" || operation === "moderation" || operation === "speech" || operation === "image") {
    const dialect = provider[operation];
    if (dialect) return dialect.encode(fields, endpoint);
  }
  throw notServed(provider, operation);
}

/** The part of an address that the operator configured is the one that may hide something. */
function describeAddress(url: string, { endpoint }: ResolvedTarget, hidden: readonly string[]): string {
  const base = endpoint.apiBase?.replace(/\/+$/, "");
  const [plain = "", query] = url.split("?");
  const shown =
    base !== undefined && !base.includes("?") && plain.startsWith(base)
      ? publicAddress(base) + plain.slice(base.length) + (query === undefined ? "" : maskedQuery(query))
      : publicAddress(url);
  return hidden.reduce((text, secret) => text.replaceAll(secret, MASKED), shown);
}

const maskedQuery = (query: string): string => publicAddress(`http://host/?${query}`).slice("http://host".length);

function describeBody(body: UpstreamRequest["body"], hidden: readonly string[], sent: string): unknown {
  if (typeof body !== "string") return null;
  const text = hidden.reduce((one, secret) => one.replaceAll(escaped(secret), MASKED), body);
  try {
    return maskForeign(JSON.parse(text), false, sent);
  } catch {
    return text;
  }
}

/** A field with a secret's name, and an address, are shown as they are only to whoever sent them. */
function maskForeign(value: unknown, secret: boolean, sent: string): unknown {
  if (typeof value === "string") {
    const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(value);
    if ((!secret && !address) || sent.includes(escaped(value))) return value;
    return secret ? MASKED : publicAddress(value);
  }
  if (Array.isArray(value)) return value.map((item) => maskForeign(item, secret, sent));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, maskForeign(inner, isSecretName(name), sent)]),
  );
}

/** A text as it stands inside JSON. */
const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);

function describeHeaders({ headers, sign }: UpstreamRequest, { deployment }: ResolvedTarget): Record<string, string> {
  const own = deployment.params.extra_headers;
  const added = isRecord(own) ? Object.keys(own).map((name) => name.toLowerCase()) : [];
  const shown: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    shown[name.toLowerCase()] = OPEN_HEADERS.has(name.toLowerCase()) ? value : MASKED;
  }
  for (const name of added) shown[name] = MASKED;
  return sign ? { ...shown, authorization: describeSigning(sign) } : shown;
}

const describeSigning = (sign: Signing): string =>
  sign.kind === "aws"
    ? `AWS4-HMAC-SHA256 signature, added when it is sent (${sign.service} in ${sign.region})`
    : "Bearer token of the service account, fetched when it is sent";
