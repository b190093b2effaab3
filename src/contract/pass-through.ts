export const PASSED_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
export type PassedMethod = (typeof PASSED_METHODS)[number];

/** A path of the operator's whose calls go on to an address of the operator's as they are. */
export interface PassThrough {
  readonly path: string;
  readonly methods: readonly PassedMethod[];
  /** Takes what lies under the path as well, which then is put behind the target's own. */
  readonly includeSubpath: boolean;
  /** Whether a key is needed. Who calls without one is charged nothing, and in no log. */
  readonly needsKey: boolean;
  readonly target: string;
  /** Sent with every call, by names in lower case. What they hold is secret. */
  readonly headers: Readonly<Record<string, string>>;
  /** Parameters of the address, unless a call has its own by the same name. Secret like the headers. */
  readonly query: Readonly<Record<string, string>>;
  /** Whether all headers of a caller go along: never those that say who it is. */
  readonly forwardHeaders: boolean;
  /** In nano-USD; null: calls are free. */
  readonly costPerRequest: bigint | null;
  /** Null: as long as a model has. */
  readonly timeoutMs: number | null;
}

/** Of the connection alone, or of the way to us: nobody sends them on, and nobody can have them sent. */
const OF_CONNECTION: ReadonlySet<string> = new Set(
  `connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade expect
   content-length accept-encoding forwarded via x-real-ip`.split(/\s+/),
);

export const isOfConnection = (name: string): boolean =>
  OF_CONNECTION.has(name) || name.startsWith("x-forwarded-") || name.startsWith("sec-websocket-");
