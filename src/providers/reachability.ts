import { GatewayError } from "../contract/errors.ts";

/** Opens a connection, with the handshake where it is of TLS, and closes it again; rejects when that fails. Injected for tests. */
export type Connect = (to: Dialled, signal: AbortSignal) => Promise<void>;

interface Dialled {
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
}

const CONNECT_TIMEOUT_MS = 5_000;
/** An origin that answered within this time is taken to be reachable. */
const KNOWN_GOOD_MS = 30_000;
const ORIGINS_MAX = 1_000;

/**
 * A time limit for connecting, which `fetch` does not have: an origin that has not answered lately is dialled once before
 * the call is sent, so that a dead host costs five seconds and not the ten minutes that a slow model may take. So does one that
 * takes connections and is silent in the handshake.
 */
export class Reachability {
  private readonly goodAt = new Map<string, number>();
  private readonly dialling = new Map<string, Promise<void>>();

  constructor(
    private readonly connect: Connect,
    private readonly nowMs: () => number,
    /** Where a proxy stands in between, only it can reach the origin: nothing is dialled. */
    private readonly isProxied: (protocol: string) => boolean,
  ) {}

  /** Answers at once for an origin that is known to be good. */
  ensure(origin: string): Promise<void> | null {
    const good = this.goodAt.get(origin);
    if (good !== undefined && this.nowMs() - good < KNOWN_GOOD_MS) return null;
    if (this.isProxied(origin.slice(0, origin.indexOf("/")))) return null;
    const pending = this.dialling.get(origin) ?? this.dial(origin).finally(() => this.dialling.delete(origin));
    this.dialling.set(origin, pending);
    return pending;
  }

  markGood(origin: string): void {
    if (!this.goodAt.has(origin) && this.goodAt.size >= ORIGINS_MAX) this.goodAt.clear();
    this.goodAt.set(origin, this.nowMs());
  }

  private async dial(origin: string): Promise<void> {
    const { hostname, port, protocol } = new URL(origin);
    const isTls = protocol === "https:";
    const to = { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port || (isTls ? 443 : 80)), isTls };
    try {
      await this.connect(to, AbortSignal.timeout(CONNECT_TIMEOUT_MS));
    } catch (cause) {
      throw new GatewayError("connection", "The provider cannot be reached.", { cause });
    }
    this.markGood(origin);
  }
}
