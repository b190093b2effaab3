import { GatewayError } from "../contract/errors.ts";
import { SetupError } from "../contract/setup-error.ts";
import { PROGRAM_VERSION } from "../contract/version.ts";
import { type CheckedAddress, checkAddress, type Resolve } from "./address-guard.ts";
import type { Signing, UpstreamRequest } from "./dialect.ts";
import type { Reachability } from "./reachability.ts";
import type { OpenSocket, UpstreamSocket } from "./upstream-socket.ts";

/** The one door out: everything that leaves for a provider goes through it. */
export interface Transport {
  /** To an address that the operator configured. */
  send(request: UpstreamRequest, signal: AbortSignal): Promise<Response>;
  /** To an address that a caller may influence: only the public internet, dialled where it was checked. */
  sendGuarded(request: UpstreamRequest, signal: AbortSignal): Promise<Response>;
  /** A WebSocket to an address that the operator configured; throws `SocketRefused` where it is answered otherwise. */
  open(request: UpstreamRequest, signal: AbortSignal): Promise<UpstreamSocket>;
}

type LocalUpstream = (request: Request) => Promise<Response>;

interface TransportDeps {
  /** Upstreams inside this process, by the scheme of their address. */
  readonly locals: Readonly<Record<string, LocalUpstream>>;
  /** Those of them that have WebSockets, by the scheme of their address. */
  readonly localSockets?: Readonly<Record<string, (url: string) => UpstreamSocket>>;
  /** Absent: there is no way out for them. */
  readonly openSocket?: OpenSocket;
  readonly sign: (request: UpstreamRequest, signing: Signing) => Promise<Readonly<Record<string, string>>>;
  readonly reachability: Reachability;
  readonly resolve: Resolve;
  /** Ports of guarded addresses; those of the web unless told. */
  readonly isOpenPort?: (port: string) => boolean;
  /** `fetch` of the runtime; a test hands in one that records. */
  readonly fetch: (url: string, init: BunFetchRequestInit) => Promise<Response>;
}

export function createTransport(deps: TransportDeps): Transport {
  return {
    send(request, signal) {
      if (request.sign) return sign(deps, request, request.sign, signal).then((signed) => pass(deps, signed, signal));
      return pass(deps, request, signal);
    },
    async sendGuarded(request, signal) {
      const checked = await checkAddress(request.url, deps.resolve, deps.isOpenPort);
      return pinned(deps, request, signal, checked);
    },
    async open(request, signal) {
      const { url, headers } = request.sign ? await sign(deps, request, request.sign, signal) : request;
      const local = deps.localSockets?.[url.slice(0, url.indexOf(":"))];
      if (local) return local(url);
      const { "accept-encoding": _, ...sent } = inLowerCase(headers);
      checkedHeaders(sent);
      if (!deps.openSocket) throw new GatewayError("connection", "There is no way out for WebSockets here.");
      return deps.openSocket(url, sent, signal);
    },
  };
}

/** One function for all of it: on this path each that waits for another one costs every call a microsecond. */
async function pass(deps: TransportDeps, request: UpstreamRequest, signal: AbortSignal): Promise<Response> {
  const { url } = request;
  const local = findLocal(deps.locals, url);
  if (local) return local(request, signal);
  const origin = originOf(url);
  const reached = deps.reachability.ensure(origin);
  if (reached) await reached;
  try {
    const response = await deps.fetch(url, initOf(request, headersOf(request), signal));
    deps.reachability.markGood(origin);
    return response;
  } catch (thrown) {
    throw failure(thrown, signal);
  }
}

async function pinned(
  deps: TransportDeps,
  request: UpstreamRequest,
  signal: AbortSignal,
  { url, host, dial }: CheckedAddress,
): Promise<Response> {
  const headers = checkedHeaders({ ...inLowerCase(request.headers), host: new URL(url).host });
  try {
    return await deps.fetch(pin(url, dial), { ...initOf(request, headers, signal), tls: { serverName: host } });
  } catch (thrown) {
    throw failure(thrown, signal);
  }
}

/**
 * Answers come uncompressed: a small body cannot unfold into a large one, and no time is spent on either side. Providers
 * see who calls, not the runtime's own name.
 */
const PLAIN = { "accept-encoding": "identity", "user-agent": `turnpike/${PROGRAM_VERSION}` };

/** What was made of headers that many calls share; it takes the runtime 2 µs less to copy it than to make it. */
const made = new WeakMap<UpstreamRequest["headers"], Headers>();

function headersOf({ headers }: UpstreamRequest): Headers {
  const known = made.get(headers);
  if (known) return known;
  const fresh = checkedHeaders(inLowerCase(headers));
  made.set(headers, fresh);
  return fresh;
}

/** A key that was copied with a line break or a curly quote is no upstream that cannot be reached. */
function checkedHeaders(headers: Record<string, string>): Headers {
  try {
    return new Headers(headers);
  } catch (cause) {
    throw new SetupError("upstream_authentication", UNSENDABLE, { cause });
  }
}

const UNSENDABLE =
  "The key or a header of the deployment holds a character that cannot be sent, such as a line break: set it again.";

/** Names are compared in lower case: a header under two spellings would be sent with both values. */
function inLowerCase(headers: UpstreamRequest["headers"]): Record<string, string> {
  const all: Record<string, string> = { ...PLAIN };
  for (const name in headers) all[name.toLowerCase()] = headers[name] as string;
  return all;
}

/** Redirects are never followed: a provider has no reason to send us elsewhere, and a key must not travel there. */
const initOf = ({ method, body }: UpstreamRequest, headers: Headers, signal: AbortSignal): BunFetchRequestInit => ({
  method: method ?? "POST",
  headers,
  body,
  signal,
  redirect: "manual",
});

function failure(thrown: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  if (thrown instanceof GatewayError) return thrown;
  return new GatewayError("connection", "The provider cannot be reached.", { cause: thrown });
}

/** A signature may need another call; whoever waits for the answer does not wait longer for that. */
async function sign(
  deps: TransportDeps,
  request: UpstreamRequest,
  signing: Signing,
  signal: AbortSignal,
): Promise<UpstreamRequest> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return { ...request, headers: await Promise.race([deps.sign(request, signing), promise]) };
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/** The same address with the checked number in place of the name. */
function pin(url: string, dial: string): string {
  const pinned = new URL(url);
  pinned.hostname = dial.includes(":") ? `[${dial}]` : dial;
  return pinned.href;
}

/** The origin's text without building a URL: this runs on every call. */
function originOf(url: string): string {
  const end = url.indexOf("/", url.indexOf("://") + 3);
  return end < 0 ? url : url.slice(0, end);
}

function findLocal(locals: Readonly<Record<string, LocalUpstream>>, url: string) {
  const scheme = url.slice(0, url.indexOf(":"));
  const local = Object.hasOwn(locals, scheme) ? locals[scheme] : undefined;
  if (!local) return null;
  // A Request wants an http address; only the path and the body matter to an upstream of our own.
  const address = url.replace(`${scheme}:`, "http:");
  return ({ method, headers, body }: UpstreamRequest, signal: AbortSignal): Promise<Response> =>
    local(new Request(address, { method: method ?? "POST", headers, body, signal }));
}
