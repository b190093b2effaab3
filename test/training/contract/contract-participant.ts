/** A participant that implements the contract and nothing else. It refuses all that the contract does not name. */
export interface ContractParticipant {
  readonly id: string;
  readonly url: string;
  /** The requests that it accepted, by path and the names of their fields. */
  readonly accepted: string[];
  stop(): unknown;
}

interface Behaviour {
  /** Trains at `/call` alone, like later versions of the original SDK. */
  readonly callOnly?: boolean;
  /** Parameters are bytes that only participants can read: numbers as text, and a digest of nothing. */
  readonly opaque?: boolean;
}

const encoder = new TextEncoder();

const toText = (values: readonly number[]): Uint8Array => encoder.encode(`secret:${values.join(",")}`);
const fromText = (bytes: Uint8Array): number[] =>
  new TextDecoder().decode(bytes).slice("secret:".length).split(",").map(Number);
const toFloats = (values: readonly number[]): Uint8Array => new Uint8Array(Float32Array.from(values).buffer);
const fromFloats = (bytes: Uint8Array): number[] => [...new Float32Array(Uint8Array.from(bytes).buffer)];

/** The bytes of a model in the format of an opaque participant, and its numbers. */
export const opaqueModel = { write: toText, read: fromText };
export const floatModel = { write: toFloats, read: fromFloats };

/** Each training halves the distance between every number and `goal`. */
export function startContractParticipant(id: string, goal: number, behaviour: Behaviour = {}): ContractParticipant {
  const { read, write } = behaviour.opaque ? opaqueModel : floatModel;
  const accepted: string[] = [];
  const decode = (value: unknown): number[] => read(Uint8Array.fromBase64(String(value)));
  const reply = (values: readonly number[]) => ({ parameters: write(values).toBase64() });
  const operations: Record<string, readonly [fields: string, run: (body: Record<string, unknown>) => object]> = {
    train: [
      "dataset,parameters",
      ({ parameters }) => reply(decode(parameters).map((value) => value + (goal - value) / 2)),
    ],
    evaluate: ["dataset,parameters", ({ parameters }) => ({ accuracy: decode(parameters)[0] ?? 0 })],
    aggregate: [
      "parameters_list",
      ({ parameters_list: list }) => {
        const updates = (list as unknown[]).map(decode);
        return reply(
          (updates[0] ?? []).map((_, at) => updates.reduce((sum, one) => sum + (one[at] ?? 0), 0) / updates.length),
        );
      },
    ],
  };
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const path = new URL(request.url).pathname.slice(1);
      const isServed = behaviour.callOnly ? path === "call" : Object.hasOwn(operations, path);
      if (request.method !== "POST" || !isServed) return new Response("<h1>Not Found</h1>", { status: 404 });
      const body = (await request.json().catch(() => null)) as Record<string, unknown> | null;
      if (body === null) return new Response("<h1>Bad Request</h1>", { status: 400 });
      const { method, ...fields } = body;
      const [names, run] = operations[behaviour.callOnly ? String(method) : path] ?? [];
      const sent = Object.keys(behaviour.callOnly ? fields : body)
        .sort()
        .join();
      if (run === undefined || sent !== names) return new Response(`unexpected: ${sent}`, { status: 422 });
      accepted.push(`${path} ${sent}`);
      return Response.json(run(fields));
    },
  });
  return { id, url: `http://127.0.0.1:${server.port}`, accepted, stop: () => server.stop(true) };
}
