import { PROGRAM_VERSION } from "../contract/version.ts";
import { COMMAND } from "../lib/command-name.ts";
import { CliError, EXIT, interrupted } from "./cli-error.ts";
import { refusalOf } from "./read-failure.ts";
import type { Session } from "./session.ts";

const TIMEOUT_MS = 30_000;
/** The most that a page may have. */
export const PAGE_SIZE = 100;

export interface Page<T> {
  readonly data: readonly T[];
  readonly meta: {
    readonly page: number;
    readonly pageSize: number;
    readonly total: number;
    readonly totalPages: number;
  };
}

export type Query = Readonly<Record<string, string | number | undefined>>;

interface Call {
  readonly method?: string;
  /** Sent as JSON, unless it is a form. */
  readonly body?: unknown;
  /** The bearer token; null sends none. */
  readonly bearer: string | null;
  readonly timeoutMs?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The server over HTTP. Every failure comes out as a `CliError`. */
export class Api {
  constructor(
    private readonly session: Session,
    private readonly debug: (text: string) => void,
    private readonly signal: AbortSignal,
  ) {}

  get url(): string {
    return this.session.url;
  }

  token(): Promise<string> {
    return this.session.token((old) => this.call("/api/auth/token/refresh", { method: "POST", bearer: old }));
  }

  async get<T>(path: string, query: Query = {}): Promise<T> {
    return this.call(withQuery(path, query), { bearer: await this.token() });
  }

  /** Every row of a list, to find something by its name: one page shows no more than so many. */
  async getAll<T>(path: string, query: Query = {}): Promise<readonly T[]> {
    const rows: T[] = [];
    for (let page = 1; ; page++) {
      const { data, meta } = await this.get<Page<T>>(path, { ...query, page, pageSize: PAGE_SIZE });
      rows.push(...data);
      if (page >= meta.totalPages) return rows;
    }
  }

  async send<T>(method: string, path: string, body: unknown = {}): Promise<T> {
    return this.call(path, { method, body, bearer: await this.token() });
  }

  /** For what everybody may ask. */
  open<T>(path: string, query: Query = {}): Promise<T> {
    return this.call(withQuery(path, query), { bearer: null });
  }

  async call<T>(path: string, call: Call): Promise<T> {
    return (await this.readJson(await this.fetch(path, call))) as T;
  }

  /** A response that is no refusal; its body is still to be read. */
  async fetch(
    path: string,
    { method = "GET", body, bearer, timeoutMs = TIMEOUT_MS, headers }: Call,
  ): Promise<Response> {
    const startedMs = performance.now();
    const response = await this.reach(path, {
      method,
      redirect: "manual",
      signal: AbortSignal.any([this.signal, AbortSignal.timeout(timeoutMs)]),
      headers: {
        "user-agent": `turnpike-cli/${PROGRAM_VERSION}`,
        ...(bearer === null ? {} : carriersOf(bearer)),
        ...(body === undefined || body instanceof FormData ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: body instanceof FormData ? body : JSON.stringify(body) }),
    });
    const requestId = response.headers.get("x-gw-call-id");
    this.debug(
      `${method} ${this.url}${path}: ${response.status}, ${Math.round(performance.now() - startedMs)} ms, ${requestId}`,
    );
    if (response.status >= 300 && response.status < 400) {
      throw new CliError(
        EXIT.error,
        "REDIRECTED",
        `${this.url} sends callers on to ${response.headers.get("location")}.`,
        {
          hint: "Give that address with --url.",
        },
      );
    }
    if (response.ok) return response;
    const told = await this.readJson(response).catch(() => null);
    const refusal = refusalOf(response.status, told, requestId, response.headers.get("retry-after"));
    if (bearer !== null && this.session.isFromEnvironment && refusal.code === "UNAUTHORIZED") {
      // Whoever logs in now would still send the variable's.
      throw new CliError(refusal.exit, refusal.code, refusal.message, { requestId, hint: variableHint(bearer) });
    }
    if (!response.headers.has("x-gw-two-factor")) throw refusal;
    const hint = "Give a code of your second factor, or a recovery code, with --code.";
    throw new CliError(refusal.exit, refusal.code, refusal.message, { requestId, hint, needsCode: true });
  }

  /** Turns what breaks on the way into one of ours; also while a body is read. */
  failureOf(thrown: unknown): CliError {
    if (thrown instanceof CliError) return thrown;
    if (this.signal.aborted) return interrupted();
    if (thrown instanceof DOMException && thrown.name === "TimeoutError") {
      return new CliError(EXIT.network, "TIMEOUT", `${this.url} did not answer in time.`, { hint: "Try again." });
    }
    this.debug(String(thrown));
    return new CliError(EXIT.network, "NETWORK_ERROR", `${this.url} cannot be reached.`, {
      hint: "Is the server running, and is the address right? Set it with --url or TURNPIKE_URL.",
    });
  }

  private async reach(path: string, init: RequestInit): Promise<Response> {
    try {
      return await fetch(this.url + path, init);
    } catch (thrown) {
      throw this.failureOf(thrown);
    }
  }

  private async readJson(response: Response): Promise<unknown> {
    const text = await response.text().catch((thrown) => {
      throw this.failureOf(thrown);
    });
    try {
      const value: unknown = JSON.parse(text);
      if (typeof value === "object" && value !== null) return value;
    } catch {}
    throw new CliError(EXIT.error, "NOT_TURNPIKE", `What answers at ${this.url} is not a Turnpike server.`, {
      hint: "Check the address: --url or TURNPIKE_URL.",
    });
  }
}

const variableHint = (token: string): string =>
  token.startsWith("sk-")
    ? `TURNPIKE_TOKEN is a key: the master key is for \`${COMMAND} admin\`. For all else unset it and run \`${COMMAND} login\`.`
    : `This is the token in TURNPIKE_TOKEN. Set another one, or unset it and run \`${COMMAND} login\`.`;

/** A hosted server takes keys from one header alone; one value may travel in both. */
const carriersOf = (bearer: string): Readonly<Record<string, string>> => ({
  authorization: `Bearer ${bearer}`,
  ...(bearer.startsWith("sk-") ? { "x-gw-api-key": bearer } : {}),
});

function withQuery(path: string, query: Query): string {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  const text = new URLSearchParams(Object.fromEntries(given)).toString();
  return text === "" ? path : `${path}?${text}`;
}
