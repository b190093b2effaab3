import type { KeyCaller } from "../../../contract/caller.ts";
import { GatewayError } from "../../../contract/errors.ts";
import type { ClientEars } from "../../../http/client-socket.ts";
import { SocketRefused, type UpstreamSocket } from "../../../providers/upstream-socket.ts";
import type { ResolvedTarget } from "../../attempts/resolve-target.ts";
import { explain, startDeadline, withHop, withOwnHeaders } from "../../attempts/upstream-request.ts";
import type { Fields, GatewayDeps, InferenceCall } from "../../call/gateway.ts";
import type { CallAccounting } from "../../metering/call-accounting.ts";
import { notServed } from "../../operations/forward.ts";
import { forEndUser } from "../../pipeline/apply-end-user.ts";
import { resolveForCaller } from "../../pipeline/authorize-model.ts";
import { runInference } from "../../pipeline/run-inference.ts";
import { refusalOf } from "./refusal-of.ts";
import { RealtimeSession } from "./session.ts";
import { SessionAccounting } from "./session-accounting.ts";
import { SESSION_TIMES } from "./session-parts.ts";
import type { RealtimeSessions } from "./sessions.ts";

/** An upstream that takes longer to say yes or no is not waited for. */
const CONNECT_MS = 15_000;

/** A session that is to be opened. */
export interface AskedSession {
  readonly call: InferenceCall;
  /** What it is set to when it begins; null: nothing. */
  readonly config: Fields | null;
  /** For whom it is, where that is known. */
  readonly endUser: string | null;
  /** The caller speaks the interface from before it was released. */
  readonly isBeta: boolean;
  /** Makes a WebSocket of the caller's request; false where the caller has left. */
  readonly accept: (ears: ClientEars, headers: Readonly<Record<string, string>>) => boolean;
  /** The key as it stands now. */
  readonly renew: () => KeyCaller | Promise<KeyCaller>;
}

/**
 * Opens a realtime session: as any call it is let in, goes to a deployment of its group or to the next one, and is in the
 * books until it ends. The caller's WebSocket is opened when the upstream's is, so that what fails before is an answer.
 */
export function openSession(deps: GatewayDeps, sessions: RealtimeSessions, asked: AskedSession): Promise<Response> {
  const { call, unfollow } = withOwnSignal(asked.call);
  refuseGuarded(deps, call);
  const request = { model: call.model, stream: true, ...(asked.endUser !== null && { user: asked.endUser }) };
  return runInference(deps, call, "realtime", request, async (target, accounting) => {
    const upstream = await connect(deps, call, target, asked.isBeta);
    // Credit is set aside for each response when it begins: a session that is silent has none.
    accounting.reservation.admission.hold.release();
    const session: RealtimeSession = new RealtimeSession({
      deps,
      call,
      upstream,
      books: new SessionAccounting(deps, call, accounting, request),
      config: asked.config,
      times: { ...SESSION_TIMES, longestMs: deps.settings().realtimeSessionMs },
      isShut: () => deps.router.isShut(target.deployment),
      renew: () => renewed(deps, call, request, asked),
      ended: async (thrown) => {
        await end(accounting, thrown);
        sessions.remove(session);
      },
    });
    const headers = call.responseMeta.addTo({ "x-gw-call-id": call.callId, "x-request-id": call.callId });
    if (!asked.accept(session, headers)) {
      upstream.close(1000, "");
      throw new GatewayError("unavailable", "The caller has left.");
    }
    unfollow();
    sessions.add(session);
    accounting.begin();
    return new Response(null, { status: 101 });
  });
}

/** None of them can hear what is said: whoever relies on one is not let through without it. */
export function refuseGuarded(deps: GatewayDeps, call: InferenceCall, { guardrails }: KeyCaller = call.caller): void {
  if (deps.guardrails().of(call, guardrails, null) === null) return;
  throw new GatewayError(
    "invalid_request",
    "Guardrails look at the calls of this key, and none of them can look into a realtime session: use a key without them.",
  );
}

async function renewed(
  deps: GatewayDeps,
  call: InferenceCall,
  request: Fields,
  { renew }: AskedSession,
): Promise<KeyCaller> {
  const key = await renew();
  const caller = deps.endUsers.concern(key, deps.clock.monotonicMs())
    ? await forEndUser(deps, call, request, key)
    : key;
  resolveForCaller(deps.catalog(), caller, call.model);
  refuseGuarded(deps, call, caller);
  return caller;
}

const end = (accounting: CallAccounting, thrown: unknown): Promise<void> =>
  thrown === null ? accounting.succeed() : accounting.fail(thrown);

/** Once the request has become a WebSocket its signal tells that this was closed, by whomever, and is not followed any more. */
function withOwnSignal(call: InferenceCall): { readonly call: InferenceCall; unfollow(): void } {
  const { caller, model, callId, receivedAtMs, responseMeta, connection, source } = call;
  const own = new AbortController();
  const { signal } = own;
  const follow = (): void => own.abort(call.signal.reason);
  call.signal.addEventListener("abort", follow, { once: true });
  const header = (name: string): string | null => call.header(name);
  return {
    call: { caller, model, callId, receivedAtMs, responseMeta, connection, source, signal, header },
    unfollow: () => call.signal.removeEventListener("abort", follow),
  };
}

async function connect(
  deps: GatewayDeps,
  call: InferenceCall,
  target: ResolvedTarget,
  isBeta: boolean,
): Promise<UpstreamSocket> {
  const dialect = target.provider.realtime;
  if (!dialect || target.guarded) throw notServed(target.provider, "realtime");
  const encoded = dialect.encode(target.fields, target.endpoint);
  const headers = isBeta ? { ...encoded.headers, "openai-beta": "realtime=v1" } : encoded.headers;
  const deadline = startDeadline(deps, call, target);
  deadline.expectWithin(Math.min(CONNECT_MS, target.streamTimeoutMs), tooSlow);
  try {
    const sent = withHop(withOwnHeaders({ ...encoded, headers }, target), call);
    return await deps.transport.open(sent, deadline.signal);
  } catch (thrown) {
    throw thrown instanceof SocketRefused ? refusalOf(thrown, target.provider) : explain(thrown, deadline.signal);
  } finally {
    deadline.clear();
  }
}

const tooSlow = (): GatewayError => new GatewayError("timeout", "The model did not answer in time.");
