import { newCheck } from "./checks.ts";
import { type HttpResponse, ResponseReader } from "./response-reader.ts";

/** A whole request with its head, and the name of the check for its response. */
export interface Planned {
  readonly text: string;
  readonly check: string;
  /** The client disconnects after so many bytes of the response. */
  readonly leaveAfterBytes?: number;
}

export interface DriveOrder {
  readonly port: number;
  /** Sent in turn. */
  readonly requests: readonly Planned[];
  readonly connections: number;
  /** The run ends after so many calls or seconds, whichever comes first. */
  readonly calls: number;
  readonly seconds: number;
  /** Calls offered per second, independent of responses. Null: each connection sends its next call after a response. */
  readonly perSecond: number | null;
}

export interface Driven {
  readonly answered: number;
  /** Not 2xx. */
  readonly refused: number;
  /** 2xx with a body that is not the right one. */
  readonly wrong: number;
  readonly broken: number;
  /** Calls that the client left in the middle of the response, as planned. */
  readonly left: number;
  readonly seconds: number;
  /** Microseconds from the time that a call was due to the end of its response, and to the first byte; sorted. */
  readonly latencies: readonly number[];
  readonly firstBytes: readonly number[];
  readonly firstFault: string | null;
}

interface Line {
  /** `dueAt` lies in the past where no connection was free in time. */
  send(dueAt: number): void;
  readonly busy: boolean;
}

/** The events of a connection. */
interface Listener {
  readonly busy: boolean;
  data(bytes: Buffer): void;
  drain(): void;
}

/** Sends requests over raw connections: a client that costs next to nothing, so that the machine is the gateway's. */
export async function drive(order: DriveOrder): Promise<Driven> {
  const run = new Run(order);
  const lines = await Promise.all(Array.from({ length: order.connections }, () => run.connect())).catch(() => null);
  if (lines === null) return run.unreachable();
  const begun = performance.now();
  const timer = setTimeout(() => run.stop(), order.seconds * 1000);
  if (order.perSecond === null) for (const line of lines) line.send(performance.now());
  else void run.pace(lines, order.perSecond);
  await run.over;
  clearTimeout(timer);
  return run.result((performance.now() - begun) / 1000);
}

class Run {
  readonly over: Promise<void>;
  private readonly finish: () => void;
  private readonly latencies: number[] = [];
  private readonly firstBytes: number[] = [];
  private readonly sockets = new Set<{ end(): void }>();
  private readonly requests: readonly { readonly bytes: Buffer; readonly planned: Planned }[];
  private readonly checks: ReadonlyMap<string, (body: Buffer) => boolean>;
  private sent = 0;
  private refused = 0;
  private wrong = 0;
  private broken = 0;
  private left = 0;
  private stopped = false;
  private firstFault: string | null = null;

  constructor(private readonly order: DriveOrder) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.over = promise;
    this.finish = resolve;
    this.requests = order.requests.map((planned) => ({ bytes: Buffer.from(planned.text), planned }));
    const names = new Set(order.requests.map(({ check }) => check));
    this.checks = new Map([...names].map((name) => [name, newCheck(name)]));
  }

  async connect(): Promise<Line> {
    let reader = new ResponseReader();
    let socket = await this.open();
    let planned: Planned | undefined;
    let unsent: Buffer = Buffer.alloc(0);
    let dueAt = 0;
    let firstByteAt = 0;
    let seenBytes = 0;
    const line = {
      busy: false,
      send: (due: number) => {
        const next = this.requests[this.sent++ % this.requests.length];
        planned = next?.planned;
        line.busy = true;
        dueAt = due;
        firstByteAt = 0;
        seenBytes = 0;
        unsent = next?.bytes ?? Buffer.alloc(0);
        line.drain();
      },
      /** A large request does not fit at once. */
      drain: () => {
        if (unsent.length > 0) unsent = unsent.subarray(Math.max(0, socket.write(unsent)));
      },
      data: (bytes: Buffer) => {
        const response = reader.push(bytes, () => {
          if (firstByteAt === 0) firstByteAt = performance.now();
        });
        seenBytes += bytes.length;
        if (response) {
          line.busy = false;
          this.note(response, planned, performance.now() - dueAt, firstByteAt - dueAt);
          if (!this.stopped && this.order.perSecond === null) line.send(performance.now());
        } else if (seenBytes > (planned?.leaveAfterBytes ?? Number.POSITIVE_INFINITY)) void line.leave();
      },
      leave: async () => {
        this.left++;
        planned = undefined;
        this.sockets.delete(socket);
        socket.data = null;
        socket.terminate();
        reader = new ResponseReader();
        socket = await this.open();
        socket.data = line;
        line.busy = false;
        if (!this.stopped && this.order.perSecond === null) line.send(performance.now());
      },
    };
    socket.data = line;
    return line;
  }

  /** An open loop: what is due is sent on whichever connection is free, and counts from when it was due. */
  async pace(lines: readonly Line[], perSecond: number): Promise<void> {
    const begun = performance.now();
    for (let due = 0; !this.stopped; ) {
      const target = ((performance.now() - begun) * perSecond) / 1000;
      for (const line of lines) {
        if (due >= target) break;
        if (line.busy) continue;
        line.send(begun + (due * 1000) / perSecond);
        due++;
      }
      await Bun.sleep(1);
    }
  }

  stop(): void {
    if (this.stopped) return;
    this.stopped = true;
    for (const socket of this.sockets) socket.end();
    this.finish();
  }

  unreachable(): Driven {
    this.fault("nothing listens there", () => this.broken++);
    this.stop();
    return this.result(0);
  }

  result(seconds: number): Driven {
    const { refused, wrong, broken, left, firstFault } = this;
    const sorted = (numbers: number[]) => numbers.toSorted((a, b) => a - b);
    const [latencies, firstBytes] = [sorted(this.latencies), sorted(this.firstBytes)];
    return { answered: latencies.length, refused, wrong, broken, left, seconds, latencies, firstBytes, firstFault };
  }

  private async open() {
    const socket = await Bun.connect<Listener | null>({
      hostname: "127.0.0.1",
      port: this.order.port,
      data: null,
      socket: {
        data: ({ data: line }, bytes) => line?.data(bytes),
        drain: ({ data: line }) => line?.drain(),
        close: ({ data: line }) => {
          if (line?.busy && !this.stopped) this.fault("a connection was closed in mid-answer", () => this.broken++);
        },
        error: () => undefined,
      },
    });
    this.sockets.add(socket);
    return socket;
  }

  private note(
    { status, body }: HttpResponse,
    planned: Planned | undefined,
    tookMs: number,
    firstByteMs: number,
  ): void {
    if (this.stopped) return;
    if (status < 200 || status > 299) {
      this.fault(`status ${status}: ${body.toString("utf8", 0, 300)}`, () => this.refused++);
    } else if (!this.checks.get(planned?.check ?? "")?.(body)) {
      this.fault(`wrong body: ${body.toString("utf8", 0, 300)}`, () => this.wrong++);
    } else {
      this.latencies.push(tookMs * 1000);
      this.firstBytes.push(firstByteMs * 1000);
    }
    if (this.latencies.length + this.refused + this.wrong >= this.order.calls) this.stop();
  }

  private fault(what: string, count: () => void): void {
    count();
    this.firstFault ??= what;
    if (this.refused + this.wrong + this.broken >= 20) this.stop();
  }
}
