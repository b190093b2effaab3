import { COMMAND } from "../lib/command-name.ts";

export const EXIT = {
  ok: 0,
  error: 1,
  usage: 2,
  notSignedIn: 3,
  forbidden: 4,
  notFound: 5,
  quota: 6,
  network: 7,
  interrupted: 130,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

interface CliErrorDetail {
  /** What to do next; shown below the message. */
  readonly hint?: string;
  readonly requestId?: string | null;
  /** Whether the password was right and a code of the second factor is missing or wrong. */
  readonly needsCode?: boolean;
  /** When the server takes it again, where it said so. */
  readonly retrySeconds?: number | null;
}

/** What a command ends with when it cannot do what it was asked. */
export class CliError extends Error {
  override readonly name = "CliError";
  readonly hint: string | null;
  readonly requestId: string | null;
  readonly needsCode: boolean;
  readonly retrySeconds: number | null;

  constructor(
    readonly exit: ExitCode,
    readonly code: string,
    message: string,
    detail: CliErrorDetail = {},
  ) {
    super(message);
    this.hint = detail.hint ?? null;
    this.requestId = detail.requestId ?? null;
    this.needsCode = detail.needsCode ?? false;
    this.retrySeconds = detail.retrySeconds ?? null;
  }
}

export const usageError = (message: string, hint?: string): CliError =>
  new CliError(EXIT.usage, "USAGE_ERROR", message, hint === undefined ? {} : { hint });

export const interrupted = (message = "Interrupted."): CliError =>
  new CliError(EXIT.interrupted, "INTERRUPTED", message);

export const notSignedIn = (message = "You are not signed in."): CliError =>
  new CliError(EXIT.notSignedIn, "UNAUTHORIZED", message, {
    hint: `Run \`${COMMAND} login\`, or set TURNPIKE_TOKEN.`,
  });
