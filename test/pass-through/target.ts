// What stands behind a path that is passed on: notes what it gets, and answers what a test wants.

export interface Got {
  readonly method: string;
  /** Path and query, as they came. */
  readonly address: string;
  readonly headers: Headers;
  readonly body: string;
}

type Answer = (request: Request, body: () => Promise<string>) => Response | Promise<Response>;

export class Target {
  readonly got: Got[] = [];
  /** What it answers from now on. */
  answer: Answer = () => Response.json({ ok: true });
  private waits: (() => void)[] = [];
  private readonly server = Bun.serve({
    ...{ port: 0, hostname: "127.0.0.1", idleTimeout: 0, development: false },
    fetch: (request) => this.take(request),
  });

  get url(): string {
    return `http://127.0.0.1:${this.server.port}`;
  }

  /** What came last. */
  get last(): Got {
    const last = this.got.at(-1);
    if (!last) throw new Error("nothing has come");
    return last;
  }

  /** Waits until so many calls have come. */
  async calls(count: number): Promise<void> {
    while (this.got.length < count) await new Promise<void>((resolve) => this.waits.push(resolve));
  }

  stop(): Promise<void> {
    return this.server.stop(true);
  }

  private async take(request: Request): Promise<Response> {
    const { pathname, search } = new URL(request.url);
    let text = "";
    const note = (): void => {
      this.got.push({ method: request.method, address: pathname + search, headers: request.headers, body: text });
      for (const wake of this.waits.splice(0)) wake();
    };
    if (this.readsFirst) {
      text = await request.text();
      note();
      return this.answer(request, () => Promise.resolve(text));
    }
    note();
    return this.answer(request, () => request.text());
  }

  /** Whether it reads all of a request before it does anything else. */
  readsFirst = true;
}
