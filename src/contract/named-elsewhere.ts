/** Operations that callers bring from other gateways and that are not served, each with what does the same here. */
const INSTEAD: Readonly<Record<string, string>> = {
  "/skills": "the tools of a request name what a model may use",
  "/interactions": "POST to the model's `:generateContent`, or POST /v1/responses, which stores its answers",
  "/cachedContents": "providers cache prompts by themselves; docs/cache.md describes the cache of responses",
  "/realtime/calls": "GET /v1/realtime opens a session, as a WebSocket",
  "/realtime/sessions": "POST /v1/realtime/client_secrets makes a secret for a session",
  "/invitation/new": "POST /api/gw/teams/invite-member invites people",
  "/tag/new": "tags need not be made, calls name them; tag_budget_config in the file gives them budgets",
  "/config/update": "change the file, and POST /api/admin/config/reload reads it again",
  "/access_group/new": "model_info.access_groups of a model names its groups",
  "/cost/estimate": "POST /spend/calculate tells what a call costs",
  "/global/spend/logs": "GET /spend/logs has them",
  "/guardrails/apply_guardrail": "POST /api/admin/guardrails/test tries one on a text",
  "/login": "POST /api/auth/token logs people in, and so does the page /fallback/login",
  "/v2/login": "POST /api/auth/token logs people in, and so does the page /fallback/login",
  "/routes": "/openapi.json describes all operations",
  "/team/bulk_member_add": "POST /team/member_add takes a list of members",
  "/user/bulk_update": "POST /user/update changes one at a time",
  "/v2/model/info": "GET /model/info has all deployments",
  "/public/model_hub": "/ui/model_hub_table shows the models to everybody",
};

/** Where OpenRouter's clients have `/v1`. */
const ROUTER_BASE = /^\/api\/v1(?=\/)/;

const STORED_CHAT = /^(?:\/openai)?(?:\/v1)?\/chat\/completions\/[^/]+(?:\/messages)?$/;
const GOOGLE_UPLOAD = /^\/upload\/v1(?:beta)?\/files$/;

const EMBEDS = "POST /v1/embeddings makes vectors";
const BATCHES = "POST /v1/batches carries out a file of calls";
const GENERATES = "POST to the model's `:generateContent`, `:streamGenerateContent` or `:countTokens`";

/** What else Google's interface does with a model, each with what does the same here. */
const GOOGLE_ACTIONS: ReadonlyMap<string, string> = new Map([
  ["embedText", EMBEDS],
  ["batchEmbedText", EMBEDS],
  ["batchGenerateContent", BATCHES],
  ["asyncBatchEmbedContent", BATCHES],
  ["predict", "POST /v1/images/generations makes pictures"],
  ["predictLongRunning", GENERATES],
  ["bidiGenerateContent", "GET /v1/realtime opens a session, as a WebSocket"],
  ["generateAnswer", GENERATES],
  ["generateText", GENERATES],
  ["generateMessage", GENERATES],
]);
const GOOGLE_MODEL = /^\/(v1beta\/|v1\/)?models\/.+:([A-Za-z]+)$/;
const SERVED: ReadonlySet<string> = new Set([
  ...["generateContent", "streamGenerateContent", "countTokens", "embedContent", "batchEmbedContents"],
]);

/**
 * What does the same as something that Google's interface does with a model and that is not served; null for any other path.
 * Outside `/v1beta` it has to be known: models may have names with a colon.
 */
export function insteadOfAction(path: string): string | null {
  const [, base, action = ""] = GOOGLE_MODEL.exec(path) ?? [];
  if (action === "" || SERVED.has(action)) return null;
  return GOOGLE_ACTIONS.get(action) ?? (base === "v1beta/" ? GENERATES : null);
}

/** Operations under paths that are served, which clients of OpenAI know and this server has not. */
const UNSUPPORTED: readonly (readonly [methods: RegExp, path: RegExp, instead: string])[] = [
  [/^POST$/, /^\/responses\/compact$/, "shorten `input` in the client; a stored response continues by its id"],
  [/^GET$/, /^\/responses$/, "POST /v1/responses answers, also as a stream; it has no WebSocket"],
  [/^GET$/, /^\/chat\/completions$/, "chat completions are not stored; POST /v1/responses stores its answers"],
  [/^DELETE$/, /^\/models\/[^:]+$/, "POST /model/delete deletes a model"],
];

/** Names the operation to use where the path belongs to other operations; null where OpenAI has no such operation. */
export function insteadOfOperation(method: string, path: string): string | null {
  const plain = path.replace(/^(?:\/openai)?\/v1(?=\/)/, "");
  return UNSUPPORTED.find(([methods, pattern]) => methods.test(method) && pattern.test(plain))?.[2] ?? null;
}

/** A client that adds `/v1` to a base URL that ends with it. */
const REPEATED_VERSION = /^((?:\/[a-z]+)?\/v1(?:beta)?)\/v1(?:beta)?(?=\/)/;

/** The path without a repeated version, which shows the interface that the client uses. */
export const withoutRepeatedVersion = (path: string): string => path.replace(REPEATED_VERSION, "$1");

/** What to use in place of an operation that is not served; null where nothing does the same. */
export const insteadOf = (path: string): string | null =>
  (REPEATED_VERSION.test(path) ? "this client adds `/v1` itself, so its base URL must not end with it" : null) ??
  INSTEAD[path.replace(/^(?:\/api)?\/v1(?:beta)?(?=\/)/, "")] ??
  (STORED_CHAT.test(path) ? "chat completions are not stored; POST /v1/responses stores its answers" : null) ??
  (GOOGLE_UPLOAD.test(path) ? "POST /v1/files stores files; Gemini models take them as `inlineData`" : null) ??
  (ROUTER_BASE.test(path)
    ? "under /api/v1 are calls of models and some operations of OpenRouter's, all else is under /v1 and /api"
    : null);
