import { CliError, EXIT, type ExitCode } from "./cli-error.ts";

interface Failure {
  readonly message: string;
  readonly code: string;
}

/** The server's refusal as one of ours. It has two bodies: `{error, code}` under /api and OpenAI's elsewhere. */
export function refusalOf(status: number, body: unknown, requestId: string | null): CliError {
  const { message, code } = readFailure(body) ?? { message: `The server answered ${status}.`, code: "SERVER_ERROR" };
  const exit = exitCodeOf(status, code);
  const hint = HINTS[exit];
  return new CliError(exit, code, message, { requestId, ...(hint === undefined ? {} : { hint }) });
}

export function readFailure(body: unknown): Failure | null {
  if (typeof body !== "object" || body === null) return null;
  const { error, code, detail } = body as { error?: unknown; code?: unknown; detail?: unknown };
  if (typeof error === "string") return { message: error, code: typeof code === "string" ? code : "SERVER_ERROR" };
  if (typeof error === "object" && error !== null) {
    const inner = error as { message?: unknown; code?: unknown };
    return { message: String(inner.message ?? "The call failed."), code: String(inner.code ?? "SERVER_ERROR") };
  }
  if (!Array.isArray(detail)) return null;
  const faults = detail.map(({ loc, msg }: { loc?: unknown[]; msg?: unknown }) => `${loc?.at(-1) ?? "body"}: ${msg}`);
  return { message: faults.join("; "), code: "VALIDATION_ERROR" };
}

const BLOCKED = new Set(["TEAM_BLOCKED", "team_blocked", "QUOTA_EXCEEDED", "insufficient_quota", "budget_exceeded"]);
const TIMEOUTS = new Set(["DB_TIMEOUT", "database_unavailable", "timeout"]);

function exitCodeOf(status: number, code: string): ExitCode {
  if (BLOCKED.has(code)) return EXIT.quota;
  if (TIMEOUTS.has(code)) return EXIT.network;
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

const HINTS: Readonly<Partial<Record<ExitCode, string>>> = {
  [EXIT.notSignedIn]: "Run `turnpike login` and try again.",
  [EXIT.forbidden]: "Ask an administrator of the organization, or choose another one with `turnpike orgs use`.",
  [EXIT.notFound]: "The matching `list` command shows what there is.",
  [EXIT.quota]:
    "`turnpike balance` shows the credit and `turnpike credits buy 20` adds to it; budgets and limits are an administrator's to raise.",
  [EXIT.network]: "Try again in a moment.",
};
