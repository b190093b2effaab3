import { GatewayError } from "../../../contract/errors.ts";
import type { PassThrough } from "../../../contract/pass-through.ts";
import { HOPS_HEADER, nextHop } from "../../../http/hops.ts";
import type { UpstreamRequest } from "../../../providers/dialect.ts";
import type { GatewayDeps, InferenceCall } from "../../call/gateway.ts";
import { endingWith } from "../../operations/relay-bytes.ts";
import { CLOSED, UpstreamReader } from "../../streaming/upstream-reader.ts";
import { addressOf } from "./address.ts";
import { admitPassThrough } from "./admit.ts";
import { type PassThroughSession, UNMETERED } from "./call.ts";
import { type IsOurs, returnedHeaders, sentHeaders } from "./headers.ts";
import { countedBody, refuseLarge } from "./limit-body.ts";

export interface PassingDeps {
  readonly gateway: GatewayDeps;
  readonly requestBytesMax: number;
  readonly isOurs: IsOurs;
}

/** What is passed on: the request, and the path that it was sent to. */
export interface Passed {
  readonly request: Request;
  readonly path: string;
  readonly connection: InferenceCall["connection"];
}

/** The story of a call that goes on to the target of its path as it is. `call` is null where no key is asked for. */
export async function passThrough(
  deps: PassingDeps,
  endpoint: PassThrough,
  passed: Passed,
  call: InferenceCall | null,
): Promise<Response> {
  const { request } = passed;
  if (request.headers.get("upgrade")?.toLowerCase() === "websocket") {
    throw new GatewayError("invalid_request", "WebSockets are not passed on here.");
  }
  const url = addressOf(endpoint, { path: passed.path, url: request.url });
  refuseLarge(request, deps.requestBytesMax);
  const passage = call ? await admitPassThrough(deps.gateway, call, endpoint) : UNMETERED;
  return relay(deps, endpoint, passed, url, passage);
}

async function relay(
  { gateway, requestBytesMax, isOurs }: PassingDeps,
  endpoint: PassThrough,
  { request, connection }: Passed,
  url: string,
  passage: PassThroughSession,
): Promise<Response> {
  const { timeoutMs, streamTimeoutMs } = gateway.settings();
  const deadline = gateway.deadlines.start(request.signal, endpoint.timeoutMs ?? timeoutMs, tooSlow, connection);
  try {
    const ears = { whole: () => passage.sent(), refuse: (refusal: GatewayError) => deadline.abort(refusal) };
    const body = countedBody(request, requestBytesMax, ears);
    const headers = sentHeaders(request.headers, endpoint, isOurs);
    headers[HOPS_HEADER] = nextHop(request.headers.get(HOPS_HEADER));
    // Not every target takes a body whose length it is not told.
    const length = request.headers.get("content-length");
    if (body !== null && length !== null) headers["content-length"] = length;
    const method = request.method as NonNullable<UpstreamRequest["method"]>;
    const sentAtMs = gateway.clock.monotonicMs();
    const response = await gateway.transport.send({ method, url, headers, body }, deadline.signal);
    passage.answered(response.status);
    const { status } = response;
    const returned = { ...returnedHeaders(response.headers, isOurs), ...passage.headers() };
    if (response.body === null || method === "HEAD" || BODILESS.has(status)) {
      const size = response.headers.get("content-length");
      if (method === "HEAD" && size !== null) returned["content-length"] = size;
      await passage.succeed();
      deadline.clear();
      return new Response(null, { status, headers: returned });
    }
    const reader = new UpstreamReader({ response, deadline, sentAtMs }, streamTimeoutMs);
    return new Response(bodyOf(reader, passage, deadline.signal), { status, headers: returned });
  } catch (thrown) {
    const failure = explain(thrown, deadline.signal);
    deadline.abort(CLOSED);
    await passage.fail(failure);
    throw failure;
  }
}

const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/** The target's bytes as they come and as fast as they are read. */
function bodyOf(reader: UpstreamReader, passage: PassThroughSession, signal: AbortSignal): ReadableStream<Uint8Array> {
  // An answer that nobody reads any more ends with its time limit, or with its caller's connection.
  const onAbort = (): void => {
    if (signal.reason !== CLOSED) void passage.fail(signal.reason);
  };
  signal.addEventListener("abort", onAbort, { once: true });
  return endingWith(passage, reader);
}

const tooSlow = (): GatewayError => new GatewayError("timeout", "The target of this path did not answer in time.");

/** In words of our own: the runtime's have the whole address in them, in which something secret may stand. */
function explain(thrown: unknown, signal: AbortSignal): GatewayError {
  if (signal.aborted && signal.reason instanceof GatewayError) return signal.reason;
  if (!(thrown instanceof GatewayError))
    return new GatewayError("upstream", "The target's answer cannot be passed on.");
  if (thrown.kind !== "connection") return thrown;
  const { code = "" } = (thrown.cause ?? {}) as { readonly code?: unknown };
  return new GatewayError("connection", "The target of this path cannot be reached.", {
    cause: new Error(String(code)),
  });
}
