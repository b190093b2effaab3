import { isLoopback } from "./guards.ts";
import { DEFAULT_LIMITS, type Limits } from "./limits.ts";

export interface LogLine {
  readonly time: string;
  readonly level: "info" | "error";
  readonly message: string;
  readonly [field: string]: unknown;
}

export interface ParticipantOptions {
  /** How it calls itself in /info. */
  readonly name?: string;
  /** Where to listen; HOST and PORT, else 127.0.0.1 and 5000. */
  readonly host?: string;
  readonly port?: number;
  /** Bearer tokens that open it, several while one is replaced; TURNPIKE_PARTICIPANT_TOKEN, separated by commas. */
  readonly tokens?: readonly string[];
  /** Listens to other machines without a token. */
  readonly insecure?: boolean;
  /** Origins of pages that may call it from a browser. */
  readonly origins?: readonly string[];
  readonly limits?: Partial<Limits>;
  /** Tells callers the words of errors that its functions throw. */
  readonly exposeErrors?: boolean;
  /** Where a line per call goes; JSON on stderr unless said otherwise, nowhere with false. */
  readonly log?: ((line: LogLine) => void) | false;
  /** Starts with some of the functions only; the others answer 404. */
  readonly partial?: boolean;
  /** Gives updates away by secure aggregation only; /train answers 403. */
  readonly secureOnly?: boolean;
  /** The shape of its parameters, where they are bare floats (`f32le`); /info tells it. */
  readonly shape?: readonly number[];
  /** What all participants of secure rounds know and no coordinator does; TURNPIKE_PARTICIPANT_GROUP_SECRET. */
  readonly groupSecret?: string;
}

export interface Settings {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly tokens: readonly string[];
  readonly insecure: boolean;
  readonly origins: readonly string[];
  readonly limits: Limits;
  readonly exposeErrors: boolean;
  readonly log: (line: LogLine) => void;
  readonly partial: boolean;
  readonly secureOnly: boolean;
  readonly shape: readonly number[] | null;
  readonly groupSecret: string | null;
}

type Environment = Readonly<Record<string, string | undefined>>;

export function readSettings(options: ParticipantOptions, environment: Environment): Settings {
  const { log = writeLine } = options;
  return {
    name: options.name ?? "participant",
    host: options.host ?? environment.HOST ?? "127.0.0.1",
    port: options.port ?? readPort(environment.PORT),
    tokens: options.tokens ?? (environment.TURNPIKE_PARTICIPANT_TOKEN ?? "").split(",").filter((token) => token !== ""),
    insecure: options.insecure ?? false,
    origins: options.origins ?? [],
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    exposeErrors: options.exposeErrors ?? false,
    log: log === false ? () => undefined : log,
    partial: options.partial ?? false,
    secureOnly: options.secureOnly ?? false,
    shape: options.shape ?? null,
    groupSecret: readGroupSecret(options.groupSecret ?? environment.TURNPIKE_PARTICIPANT_GROUP_SECRET ?? ""),
  };
}

/** Others than this machine are let in only with a token. */
export function checkExposure({ host, tokens, insecure }: Settings): void {
  if (isLoopback(host) || tokens.length > 0 || insecure) return;
  throw new Error(
    `${host} can be reached from other machines: set a token (TURNPIKE_PARTICIPANT_TOKEN), or insecure if you mean it`,
  );
}

function readGroupSecret(text: string): string | null {
  if (text === "") return null;
  // A coordinator could try out short ones: it sees what is proved by them.
  if (text.length < 16) throw new RangeError("the secret of the group has fewer than 16 characters");
  return text;
}

function readPort(text: string | undefined): number {
  if (text === undefined || text === "") return 5000;
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new RangeError("PORT is not the number of a port");
  return port;
}

function writeLine(line: LogLine): void {
  process.stderr.write(`${JSON.stringify(line)}\n`);
}
