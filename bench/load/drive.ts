import { type Answer, AnswerReader } from "./http-answer.ts";

export interface DriveOrder {
  readonly port: number;
  /** Whole requests, heads and all, sent in turn. */
  readonly requests: readonly string[];
  readonly connections: number;
  /** Ends after so many answers or so much time, whichever comes first. */
  readonly answers: number;
  readonly seconds: number;
  /** So many a second, whether or not earlier ones were answered; null: each connection sends when it has its answer. */
  readonly perSecond: number | null;
  /** What every answer must hold, by the name of a check. */
  readonly check: string;
}

export interface Driven {
  readonly answered: number;
  /** Not 2xx. */
  readonly refused: number;
  /** 2xx with a body that is not the right one. */
  readonly wrong: number;
  readonly broken: number;
  readonly seconds: number;
  /** To the end of the answer, and to the first byte of its body, in microseconds; sorted. */
  readonly latencies: readonly number[];
  readonly firstBytes: readonly number[];
  readonly firstFault: string | null;
}

type Check = (body: Buffer) => boolean;

interface Line {
  send(): void;
  readonly busy: boolean;
}

/** Sends requests over raw connections: a client that costs next to nothing, so that the machine is the gateway's. */
export async function drive(order: DriveOrder, check: Check): Promise<Driven> {
  const run = new Run(order, check);
  const lines = await Promise.all(Array.from({ length: order.connections }, () => run.connect()));
  const begun = performance.now();
  const timer = setTimeout(() => run.stop(), order.seconds * 1000);
  if (order.perSecond === null) for (const line of lines) line.send();
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
  private readonly sockets: { end(): void }[] = [];
  private sent = 0;
  private refused = 0;
  private wrong = 0;
  private broken = 0;
  private stopped = false;
  private firstFault: string | null = null;
  private readonly requests: readonly Buffer[];

  constructor(
    private readonly order: DriveOrder,
    private readonly check: Check,
  ) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.over = promise;
    this.finish = resolve;
    this.requests = order.requests.map((text) => Buffer.from(text));
  }

  async connect(): Promise<Line> {
    const reader = new AnswerReader();
    let sentAt = 0;
    let firstByteAt = 0;
    let busy = false;
    const line: Line = {
      send: () => {
        busy = true;
        firstByteAt = 0;
        sentAt = performance.now();
        socket.write(this.requests[this.sent++ % this.requests.length] ?? "");
      },
      get busy() {
        return busy;
      },
    };
    const socket = await Bun.connect({
      hostname: "127.0.0.1",
      port: this.order.port,
      socket: {
        data: (_, bytes) => {
          const answer = reader.push(bytes, () => {
            if (firstByteAt === 0) firstByteAt = performance.now();
          });
          if (!answer) return;
          busy = false;
          this.note(answer, performance.now() - sentAt, firstByteAt - sentAt);
          if (!this.stopped && this.order.perSecond === null) line.send();
        },
        close: () => {
          if (busy && !this.stopped) this.fault("a connection was closed in mid-answer", () => this.broken++);
        },
        error: () => undefined,
      },
    });
    this.sockets.push(socket);
    return line;
  }

  /** An open loop: what is due is sent on whichever connection is free. */
  async pace(lines: readonly Line[], perSecond: number): Promise<void> {
    const begun = performance.now();
    for (let due = 0; !this.stopped; ) {
      const target = ((performance.now() - begun) * perSecond) / 1000;
      for (const line of lines) {
        if (due >= target) break;
        if (line.busy) continue;
        line.send();
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

  result(seconds: number): Driven {
    const { refused, wrong, broken, firstFault } = this;
    const sorted = (numbers: number[]) => numbers.toSorted((a, b) => a - b);
    const [latencies, firstBytes] = [sorted(this.latencies), sorted(this.firstBytes)];
    return { answered: latencies.length, refused, wrong, broken, seconds, latencies, firstBytes, firstFault };
  }

  private note({ status, body }: Answer, tookMs: number, firstByteMs: number): void {
    if (this.stopped) return;
    if (status < 200 || status > 299) {
      this.fault(`status ${status}: ${body.toString("utf8", 0, 300)}`, () => this.refused++);
    } else if (!this.check(body)) {
      this.fault(`wrong body: ${body.toString("utf8", 0, 300)}`, () => this.wrong++);
    } else {
      this.latencies.push(tookMs * 1000);
      this.firstBytes.push(firstByteMs * 1000);
    }
    if (this.latencies.length + this.refused + this.wrong >= this.order.answers) this.stop();
  }

  private fault(what: string, count: () => void): void {
    count();
    this.firstFault ??= what;
    if (this.refused + this.wrong + this.broken >= 20) this.stop();
  }
}
