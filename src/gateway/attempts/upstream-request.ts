import { type ErrorKind, GatewayError } from "../../contract/errors.ts";
import { HOPS_HEADER, nextHop } from "../../http/hops.ts";
import type { Deadline } from "../../lib/deadlines.ts";
import { isRecord } from "../../lib/json.ts";
import type { Provider, UpstreamRequest } from "../../providers/dialect.ts";
import { waitHeaders } from "../../providers/wait-headers.ts";
import type { GatewayDeps, InferenceCall } from "../call/gateway.ts";
import { namedField } from "./named-field.ts";
import type { ResolvedTarget } from "./resolve-target.ts";

/** A failure's text is read up to this length: an upstream may send anything. */
const FAILURE_CHARS_MAX = 16 * 1024;

/** What came back of one upstream call, with the time that the answer's headers tell. */
export interface Returned {
  readonly response: Response;
  readonly sentAtMs: number;
}

/** The same while its body is still to be read. */
export interface Exchange extends Returned {
  readonly deadline: Deadline;
}

/** Sends a request under the call's time limits. An answer that is not 2xx is thrown as what it means to our caller. */
export async function exchange(
  deps: GatewayDeps,
  call: InferenceCall,
  target: ResolvedTarget,
  request: UpstreamRequest,
  streamed: boolean,
): Promise<Exchange> {
  const deadline = startDeadline(deps, call, target);
  if (streamed) deadline.expectWithin(target.streamTimeoutMs, tooSlow);
  const sentAtMs = deps.clock.monotonicMs();
  try {
    const response = await send(deps, target, withHop(request, call), deadline);
    if (!response.ok) throw await readFailure(response, target.provider, deadline, target);
    return { response, deadline, sentAtMs };
  } catch (thrown) {
    deadline.clear();
    throw explain(thrown, deadline.signal);
  }
}

export const startDeadline = (
  { deadlines }: GatewayDeps,
  { signal, connection }: InferenceCall,
  target: ResolvedTarget,
): Deadline => deadlines.start(signal, target.timeoutMs, tooSlow, connection);

export function send(
  { transport }: GatewayDeps,
  target: ResolvedTarget,
  request: UpstreamRequest,
  { signal }: Deadline,
): Promise<Response> {
  const sent = withOwnHeaders(request, target);
  return target.guarded ? transport.sendGuarded(sent, signal) : transport.send(sent, signal);
}

/** Says how many gateways the call has passed, this one included. */
export const withHop = (request: UpstreamRequest, call: Pick<InferenceCall, "header">): UpstreamRequest => ({
  ...request,
  headers: { ...request.headers, [HOPS_HEADER]: nextHop(call.header(HOPS_HEADER)) },
});

/** Headers that the operator gave the deployment; never to an address that the caller named. */
export function withOwnHeaders(request: UpstreamRequest, { deployment, guarded }: ResolvedTarget): UpstreamRequest {
  const own = deployment.params.extra_headers;
  if (guarded || !isRecord(own)) return request;
  const headers = Object.fromEntries(Object.entries(own).map(([name, value]) => [name.toLowerCase(), String(value)]));
  return { ...request, headers: { ...request.headers, ...headers } };
}

export const tooSlow = (): GatewayError => new GatewayError("timeout", "The model did not answer in time.");

/** An upstream call that we ended ourselves failed for the reason that we ended it. */
export function explain(thrown: unknown, signal: AbortSignal): unknown {
  if (signal.aborted && signal.reason instanceof GatewayError) return signal.reason;
  if (thrown instanceof GatewayError) return thrown;
  return new GatewayError("upstream", "The provider's answer broke off.", { cause: thrown });
}

/** That a call has failed is known before its failure's words, which may never end: they are not waited for longer. */
const FAILURE_MS = 2_000;
const cutOff = (): Error => new Error("the rest of the failure was not waited for");

/** Reads an upstream's failure and says what it means to our caller. `deadline` is null where another limit is a short one. */
export async function readFailure(
  response: Response,
  provider: Pick<Provider, "classify">,
  deadline: Deadline | null,
  target: ResolvedTarget | null,
): Promise<GatewayError> {
  deadline?.expectWithin(FAILURE_MS, cutOff);
  const body = await readPrefix(response);
  const failure = { status: response.status, headers: response.headers, body };
  const { kind, message, details } = provider.classify(failure);
  const cause = new Error(`upstream status ${response.status}`);
  const param = target !== null && isCallersFault(kind) ? namedField(body, target) : null;
  return new GatewayError(kind, message, {
    headers: waitHeaders(failure),
    cause,
    details,
    ...(param === null ? {} : { param }),
  });
}

const isCallersFault = (kind: ErrorKind): boolean =>
  kind === "invalid_request" || kind === "context_window" || kind === "content_policy";

async function readPrefix(response: Response): Promise<string> {
  if (!response.body) return "";
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const chunk of response.body as ReadableStream<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > FAILURE_CHARS_MAX) break;
    }
  } catch {
    // A failure that breaks off is still a failure: what arrived is what there is.
  }
  return text.slice(0, FAILURE_CHARS_MAX);
}
