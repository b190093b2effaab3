/** A small Stripe: takes the calls that we make, remembers what they asked for, and answers in its form. */
export class FakeStripe {
  readonly #server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request) => this.#answer(request) });
  readonly calls: {
    readonly path: string;
    readonly key: string | null;
    readonly form: Readonly<Record<string, string>>;
  }[] = [];
  /** What its lists show. */
  intents: object[] = [];
  charges: object[] = [];
  refunds: object[] = [];
  /** Paid so long ago that no list of charges has it; its refunds name it, and have all of it where that is asked for. */
  oldCharge: { readonly id: string } | null = null;
  /** The next calls are answered with these, before anything else. */
  readonly refusals: { readonly status: number; readonly error: object }[] = [];

  /** Done before a call is answered: what happens elsewhere while somebody waits for Stripe. */
  meanwhile: ((path: string, form: Readonly<Record<string, string>>) => Promise<unknown>) | null = null;

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}`;
  }

  stop(): void {
    void this.#server.stop(true);
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const form = Object.fromEntries(new URLSearchParams(await request.text()));
    this.calls.push({ path: pathname, key: request.headers.get("idempotency-key"), form });
    if (request.headers.get("authorization") !== "Bearer sk_test_123") {
      return Response.json({ error: { type: "invalid_request_error", message: "no such key" } }, { status: 401 });
    }
    await this.meanwhile?.(pathname, form);
    const refusal = this.refusals.shift();
    if (refusal) return Response.json({ error: refusal.error }, { status: refusal.status });
    if (request.method === "GET") {
      const isWhole = searchParams.values().some((value) => value === "data.charge");
      const old = this.oldCharge && { charge: isWhole ? this.oldCharge : this.oldCharge.id };
      const refunds = this.refunds.map((refund) => ({ charge: null, ...refund, ...old }));
      const lists = { "/v1/payment_intents": this.intents, "/v1/refunds": refunds };
      const data = lists[pathname as keyof typeof lists] ?? this.charges;
      return Response.json({ object: "list", data, has_more: false, url: pathname });
    }
    return Response.json(this.#make(pathname, form));
  }

  #make(path: string, form: Readonly<Record<string, string>>): object {
    const id = `${path.split("/").at(-1)}_${this.calls.length}`;
    if (path === "/v1/checkout/sessions") return { id, object: "checkout.session", url: `https://pay.example/${id}` };
    if (path === "/v1/payment_intents") return { id, object: "payment_intent", status: "succeeded" };
    return { id, object: path, ...form };
  }
}
