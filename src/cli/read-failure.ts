import { COMMAND } from "../lib/command-name.ts";
import { readRetryAfter } from "../lib/retry-after.ts";
import { CliError, EXIT, type ExitCode } from "./cli-error.ts";

interface Failure {
  readonly message: string;
  readonly code: string;
}

/** The server's refusal as one of ours. It has two bodies: `{error, code}` under /api and OpenAI's elsewhere. */
export function refusalOf(
  status: number,
  body: unknown,
  requestId: string | null,
  retryAfter: string | null = null,
): CliError {
  const { message, code } = readFailure(body) ?? { message: `The server answered ${status}.`, code: "SERVER_ERROR" };
  const exit = exitCodeOf(status, code);
  const hint = hintOf(status, code, message);
  const waitMs = status === 429 || status === 503 ? readRetryAfter(retryAfter, Date.now()) : null;
  const retrySeconds = waitMs === null ? null : Math.ceil(waitMs / 1000);
  return new CliError(exit, code, message, { requestId, retrySeconds, ...(hint === undefined ? {} : { hint }) });
}

export function readFailure(body: unknown): Failure | null {
  if (typeof body !== "object" || body === null) return null;
  const { error, code, detail } = body as { error?: unknown; code?: unknown; detail?: unknown };
  if (typeof error === "string") return { message: error, code: typeof code === "string" ? code : "SERVER_ERROR" };
  if (typeof error !== "object" || error === null) return null;
  const inner = error as { message?: unknown; code?: unknown };
  // Under one name, whichever side of the server has found it.
  const known = Array.isArray(detail) ? "VALIDATION_ERROR" : inner.code;
  return { message: String(inner.message ?? "The call failed."), code: String(known ?? "SERVER_ERROR") };
}

const BLOCKED = new Set(
  "TEAM_BLOCKED team_blocked QUOTA_EXCEEDED insufficient_quota budget_exceeded storage_quota_exceeded".split(" "),
);
const TIMEOUTS = new Set(["DB_TIMEOUT", "database_unavailable", "timeout"]);

function exitCodeOf(status: number, code: string): ExitCode {
  if (BLOCKED.has(code)) return EXIT.quota;
  if (TIMEOUTS.has(code)) return EXIT.network;
  if (MALFORMED.has(status)) return EXIT.usage;
  return STATUS_EXITS[status] ?? EXIT.error;
}

const STATUS_EXITS: Readonly<Record<number, ExitCode>> = {
  401: EXIT.notSignedIn,
  402: EXIT.quota,
  403: EXIT.forbidden,
  404: EXIT.notFound,
  408: EXIT.network,
  429: EXIT.quota,
  504: EXIT.network,
};

/** What was sent makes no sense, as a wrong flag makes none. */
const MALFORMED: ReadonlySet<number> = new Set([400, 422]);

/** Of a model: nobody knows the names of all providers by heart. */
const UNKNOWN_PROVIDER = /(^|; )provider: unknown provider /;

/** A message that begins with the name of a field says what is wrong with it; nothing is to be added to that. */
const NAMES_FIELD = /^[a-zA-Z_.]+: /;

function hintOf(status: number, code: string, message: string): string | undefined {
  if (UNKNOWN_PROVIDER.test(message)) return PROVIDERS;
  if (NAMES_FIELD.test(message)) return undefined;
  // Whoever is too fast is told for how long to wait.
  if (status === 429 && code === "FORBIDDEN") return undefined;
  if (/\btry again\b/i.test(message)) return undefined;
  if (code === "FORBIDDEN" && message.includes("an administrator's session")) return INSTALLATION;
  // The storage of the organization is full: credit does not help.
  if (status === 413) return undefined;
  if (code === "QUOTA_EXCEEDED" && /budget/i.test(message)) return HINTS.budget_exceeded;
  if (code === "NOT_FOUND" && message.startsWith("There is no such voucher, or")) return VOUCHER;
  if (code === "NOT_FOUND" && message.startsWith("You are not a member of any organization")) return HOMELESS;
  return HINTS[code];
}

const PROVIDERS = `See: ${COMMAND} admin providers`;
const INSTALLATION = `This is for administrators of the whole installation; sign in as one: ${COMMAND} login --email admin@localhost`;
const HOMELESS = `\`${COMMAND} orgs create NAME\` makes one, which is yours.`;
const VOUCHER = "Check the code for slips of the pen, or ask who gave it to you.";
const SIGN_IN = `Run \`${COMMAND} login\` and try again.`;
const CREDIT = `\`${COMMAND} balance\` shows the credit and \`${COMMAND} credits buy 20\` adds to it.`;
const BLOCKED_TEAM = `A negative balance blocks teams until credit is added (\`${COMMAND} balance\`); else an administrator has blocked it.`;
const LATER = "Try again in a moment.";

/** By what was refused, whatever the status: the codes of both sides of the server. */
const HINTS: Readonly<Record<string, string>> = {
  UNAUTHORIZED: SIGN_IN,
  invalid_api_key: `\`${COMMAND} keys list\` shows your keys; give one with --key or TURNPIKE_KEY.`,
  FORBIDDEN: `Ask an administrator of the organization, or choose another one with \`${COMMAND} orgs use\`.`,
  model_not_found: `\`${COMMAND} models list\` shows what can be called.`,
  QUOTA_EXCEEDED: CREDIT,
  insufficient_quota: CREDIT,
  budget_exceeded: `\`${COMMAND} keys show KEY\` tells when its budget begins anew; budgets are an administrator's to raise.`,
  TEAM_BLOCKED: BLOCKED_TEAM,
  team_blocked: BLOCKED_TEAM,
  rate_limit_exceeded: LATER,
  DB_TIMEOUT: LATER,
  database_unavailable: LATER,
  timeout: LATER,
};
