/** Operations that callers bring from other gateways and that are not served, each with what does the same here. */
const INSTEAD: Readonly<Record<string, string>> = {
  "/responses": "POST /v1/chat/completions reaches all models",
  "/messages": "POST /v1/chat/completions reaches Anthropic's and all other models",
  "/anthropic/v1/messages": "POST /v1/chat/completions reaches Anthropic's and all other models",
  "/realtime": "POST /v1/chat/completions reaches all models",
  "/invitation/new": "POST /api/gw/teams/invite-member invites people",
  "/customer/new": "general_settings.end_user_limits limits the users that calls name",
  "/tag/new": "tags need not be made, calls name them",
  "/config/update": "change the file, and POST /api/admin/config/reload reads it again",
};

/** Where OpenRouter's clients have `/api/v1`. */
const ROUTER_BASE = /^\/api\/v1(?=\/)/;

/** What to use in place of an operation that is not served; null where nothing does the same. */
export const insteadOf = (path: string): string | null =>
  ROUTER_BASE.test(path)
    ? "the base address ends with /v1, not with /api/v1"
    : (INSTEAD[path.replace(/^\/v1(?=\/)/, "")] ?? null);
