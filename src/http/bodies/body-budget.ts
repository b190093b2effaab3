import type { AuthKind, CallerOf } from "../../contract/caller.ts";
import { GatewayError } from "../../contract/errors.ts";
import { networkOf } from "../../lib/ip-range.ts";
import type { Timers } from "../../lib/timers.ts";
import type { Connection } from "../route.ts";

/** Limits on the bodies that a process receives at the same time; 0 is no limit. */
export interface BodyLimits {
  readonly totalBytesMax: number;
  readonly callerBytesMax: number;
  readonly addressBytesMax: number;
  /** How long a body may take, plus a second for each `SLOWEST_BYTES` that have arrived. */
  readonly timeoutMs: number;
}

/** Bytes per second that keep a large body from timing out. */
const SLOWEST_BYTES = 16 * 1024;
const CHECK_MS = 1_000;
/** Shorter bodies of known callers do not count for their address: the lookup would cost every call of a model. */
const ADDRESS_BYTES_MIN = 16 * 1024;

/** The facts about a body that are known before it is read. */
export interface BodyOrigin {
  readonly caller: CallerOf[AuthKind];
  readonly connection: Pick<Connection, "remoteAddress">;
  /** Null: the client does not say how long the body is. */
  readonly declaredBytes: number | null;
}

/** Counts the bytes of arriving bodies, so that unfinished requests cannot use up the memory of the process. */
export class BodyBudget {
  private bytes = 0;
  private rejectedCount = 0;
  private readonly callers = new Map<string, number>();
  private readonly addresses = new Map<string, number>();
  private readonly arriving = new Set<IncomingBody>();
  private isWatching = false;

  constructor(
    private readonly limits: () => BodyLimits,
    private readonly timers: Timers,
    private readonly monotonicMs: () => number,
  ) {}

  get heldBytes(): number {
    return this.bytes;
  }

  /** Bodies that were rejected because of a limit, or because they arrived too slowly. */
  get rejected(): number {
    return this.rejectedCount;
  }

  /** Starts to count a body. The reader of the body closes it afterwards. */
  receive({ caller, connection, declaredBytes }: BodyOrigin): IncomingBody {
    const needsAddress = caller === null || declaredBytes === null || declaredBytes >= ADDRESS_BYTES_MIN;
    const address = needsAddress ? connection.remoteAddress : null;
    const owner = { callerId: idOf(caller), address: address === null ? null : networkOf(address) };
    const body = new IncomingBody(this, owner, this.monotonicMs());
    this.arriving.add(body);
    this.watch();
    return body;
  }

  /** Throws if the limits leave no room for these bytes. */
  check({ callerId, address }: BodyOwner, bytes: number): void {
    const { totalBytesMax, callerBytesMax, addressBytesMax } = this.limits();
    if (callerId !== null && (this.callers.get(callerId) ?? 0) + bytes > (callerBytesMax || Infinity)) {
      throw this.reject("Too many request bodies are arriving with this key or session at the same time.");
    }
    if (address !== null && (this.addresses.get(address) ?? 0) + bytes > (addressBytesMax || Infinity)) {
      throw this.reject("Too many request bodies are arriving from this address at the same time.");
    }
    if (this.bytes + bytes > (totalBytesMax || Infinity)) {
      throw this.reject("Too many request bodies are arriving at the same time.");
    }
  }

  /** Adds to the counts, or subtracts from them. */
  count({ callerId, address }: BodyOwner, bytes: number): void {
    this.bytes += bytes;
    if (callerId !== null) addTo(this.callers, callerId, bytes);
    if (address !== null) addTo(this.addresses, address, bytes);
  }

  remove(body: IncomingBody): void {
    this.arriving.delete(body);
  }

  private reject(reason: string): GatewayError {
    this.rejectedCount++;
    const headers = { "retry-after": "1", connection: "close" };
    return new GatewayError("unavailable", `${reason} Retry in a second.`, { headers });
  }

  /** One timer for all bodies: a timer for each would cost every call of a model. */
  private watch(): void {
    if (this.isWatching || this.arriving.size === 0) return;
    this.isWatching = true;
    this.timers.after(CHECK_MS, () => {
      this.isWatching = false;
      this.endOverdue();
      this.watch();
    });
  }

  private endOverdue(): void {
    const { timeoutMs } = this.limits();
    const now = this.monotonicMs();
    for (const body of this.arriving) {
      if (now - body.startedAtMs < timeoutMs + (body.arrivedBytes / SLOWEST_BYTES) * 1_000) continue;
      this.rejectedCount++;
      body.expire(timeoutMs);
    }
  }
}

interface BodyOwner {
  readonly callerId: string | null;
  /** The client's address; of an IPv6 address its network. */
  readonly address: string | null;
}

/** One body on its way into the process. */
export class IncomingBody {
  arrivedBytes = 0;
  private heldBytes = 0;
  private isClosed = false;
  private fail: ((failure: GatewayError) => void) | null = null;

  constructor(
    private readonly budget: BodyBudget,
    private readonly owner: BodyOwner,
    readonly startedAtMs: number,
  ) {}

  /** Throws if a body of this length does not fit next to those that are arriving. */
  require(bytes: number): void {
    this.budget.check(this.owner, bytes);
  }

  /** Holds room for bytes that have yet to arrive. */
  reserve(bytes: number): void {
    if (this.isClosed) return;
    this.budget.check(this.owner, bytes);
    this.heldBytes += bytes;
    this.budget.count(this.owner, bytes);
  }

  /** Notes bytes that have arrived, of which so many stay in memory. */
  add(bytes: number, inMemory = bytes): void {
    if (inMemory > 0) this.reserve(inMemory);
    this.arrivedBytes += bytes;
  }

  /** Waits for work that reads the body, and fails when the time for the body is up. */
  within<T>(work: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.fail = reject;
      work.then(resolve, reject);
    });
  }

  /** Fails what waits for the body. */
  expire(timeoutMs: number): void {
    this.budget.remove(this);
    const message = `The request body did not arrive within ${Math.ceil(timeoutMs / 1_000)} seconds. Send it faster.`;
    this.fail?.(new GatewayError("timeout", message, { headers: { connection: "close" } }));
  }

  close(): void {
    this.isClosed = true;
    this.budget.remove(this);
    if (this.heldBytes > 0) this.budget.count(this.owner, -this.heldBytes);
    this.heldBytes = 0;
  }
}

function idOf(caller: CallerOf[AuthKind]): string | null {
  if (caller === null) return null;
  return caller.kind === "key" ? caller.keyId : caller.sessionId;
}

/** Entries at zero are removed, so that the map does not grow with every address that ever called. */
function addTo(counts: Map<string, number>, id: string, bytes: number): void {
  const sum = (counts.get(id) ?? 0) + bytes;
  if (sum === 0) counts.delete(id);
  else counts.set(id, sum);
}
