import type { AuthKind, CallerOf } from "../contract/caller.ts";
import { GatewayError } from "../contract/errors.ts";
import { insteadOf, insteadOfAction, insteadOfOperation, withoutRepeatedVersion } from "../contract/named-elsewhere.ts";
import type { Clock } from "../lib/clock.ts";
import { newId } from "../lib/ids.ts";
import type { Logger } from "../lib/log.ts";
import type { AdmitAddress } from "./allowed-addresses.ts";
import type { Authenticate } from "./authenticate.ts";
import type { BodyBudget } from "./bodies/body-budget.ts";
import { readMultipart } from "./bodies/multipart.ts";
import { declaredBytes, parseJsonBody, readBytes, readJsonBody } from "./bodies/read-body.ts";
import type { ReadClient } from "./client-address.ts";
import type { Cors } from "./cors.ts";
import { compileEndpoints, type Endpoint, type Operation } from "./endpoints.ts";
import type { MultipartForm } from "./form.ts";
import { checkHops } from "./hops.ts";
import type { ManagementRate } from "./management-rate.ts";
import type { Overload } from "./overload.ts";
import { pathOf, queryOf } from "./path.ts";
import { coerceQuery } from "./query.ts";
import { renderError, toGatewayError } from "./render-error.ts";
import {
  type Connection,
  type ErrorFormat,
  formatOfPath,
  type Method,
  NO_BYTES,
  type Route,
  takesBody,
} from "./route.ts";
import type { StrictTransport } from "./strict-transport.ts";

export interface DispatchSettings {
  readonly requestBytesMax: number;
  readonly managementBytesMax: number;
  /** `x-gw-` always works; people who move from elsewhere may have a second one. */
  readonly headerPrefix: string;
}

export interface DispatchDeps {
  readonly authenticate: Authenticate;
  /** Who is at the other end, behind the proxies that are trusted. */
  readonly client: ReadClient;
  readonly admitAddress: AdmitAddress;
  readonly rate: ManagementRate;
  readonly overload: Overload;
  readonly bodies: BodyBudget;
  readonly cors: Cors;
  readonly strictTransport: StrictTransport;
  readonly clock: Clock;
  readonly log: Logger;
  /** Before the process is ready and once it drains. */
  readonly isClosed: () => boolean;
  readonly observe: (call: ObservedCall) => void;
}

export interface ObservedCall {
  readonly path: string;
  readonly method: string;
  readonly status: number;
  readonly durationMs: number;
}

export type Handler = (request: Request, connection: Connection) => Promise<Response>;

export interface Dispatcher {
  /** Any request, matched here. */
  readonly handle: Handler;
  /** Paths without parameters, for a server that matches those itself. */
  readonly literal: ReadonlyMap<string, Handler>;
  /** Those of them that may be answered by a WebSocket. */
  readonly sockets: ReadonlySet<string>;
}

/** For the body of a client that has not shown a key or a session: what it sends is a sign-in or sign-up form. */
const UNAUTHENTICATED_BYTES_MAX = 16 * 1024;

const CALL_ID = /^[\x21-\x7e]{1,128}$/;

export function createDispatcher(routes: readonly Route[], settings: DispatchSettings, deps: DispatchDeps): Dispatcher {
  const table = compileEndpoints(routes);
  const dispatch = new Dispatch(settings, deps);
  const literal = new Map<string, Handler>();
  for (const [path, endpoint] of table.literal) {
    literal.set(path, (request, connection) => dispatch.answer(request, connection, endpoint, {}));
  }
  return {
    literal,
    sockets: new Set(routes.flatMap(({ socket, paths }) => (socket ? paths : []))),
    handle(request, connection) {
      // A model may be asked for under every name, and would be told apart from what is done with it by the method alone.
      const found = isUnservedAction(request) ? null : table.find(pathOf(request.url));
      return dispatch.answer(request, connection, found?.endpoint ?? null, found?.params ?? {});
    },
  };
}

class Dispatch {
  /** Beside `x-gw-`, where there is one. */
  private readonly ownPrefix: string | null;

  constructor(
    private readonly settings: DispatchSettings,
    private readonly deps: DispatchDeps,
  ) {
    this.ownPrefix = settings.headerPrefix === "x-gw-" ? null : settings.headerPrefix;
  }

  /** One call from its first byte to its answer: whatever is thrown on the way becomes an answer here. */
  async answer(
    request: Request,
    peer: Connection,
    endpoint: Endpoint | null,
    params: Record<string, string>,
  ): Promise<Response> {
    if (this.ownPrefix !== null) adopt(request.headers, this.ownPrefix);
    const connection = this.deps.client(request, peer);
    /** Headers that the answer carries whatever becomes of the call. */
    const told: Record<string, string> = {};
    const receivedAtMs = this.deps.clock.monotonicMs();
    const callId = newId();
    const errorFormat = errorFormatOf(request, endpoint);
    let response: Response;
    try {
      if (!endpoint) throw unknownPath(request);
      if (request.method === "OPTIONS") response = this.preflight(request, endpoint);
      else {
        const operation = this.operationOf(request, endpoint);
        if (!operation.route.skipsIpAllowlist) this.deps.admitAddress(connection);
        const pending = this.deps.authenticate(operation.route, request, connection);
        const caller = pending instanceof Promise ? await pending : pending;
        this.rate(caller, operation, endpoint, told);
        const input: Input = {
          request,
          connection,
          callId,
          receivedAtMs,
          // The address is put together anew whenever it is read; a path without parameters is known.
          path: endpoint.pattern.literal ? endpoint.pattern.source : pathOf(request.url),
          caller,
          params: operation.params ? operation.params.read(params) : params,
          query: operation.query ? readQuery(operation, request) : undefined,
          body: undefined,
          form: undefined,
          rawBody: NO_BYTES,
        };
        const isStored = operation.route.stored ?? endpoint.errorFormat === "management";
        if (takesBody(operation.route)) await this.readBody(operation, isStored, input);
        response = await (operation.route.form ? withForm(operation.route, input) : operation.route.handle(input));
      }
    } catch (thrown) {
      response = this.failure(endpoint, errorFormat, thrown, callId, request);
    }
    if (request.method === "HEAD") response = await withoutBody(response);
    const shownId = this.addHeaders(response, request, callId);
    const strict = this.deps.strictTransport(request, peer);
    if (strict !== null) response.headers.set("strict-transport-security", strict);
    // The same id under the name that Anthropic's clients read.
    if (errorFormat === "anthropic") response.headers.set("request-id", callId);
    for (const name in told) response.headers.set(name, told[name] ?? "");
    const path = endpoint?.pattern.source ?? "unknown";
    const durationMs = this.deps.clock.monotonicMs() - receivedAtMs;
    this.deps.observe({ path, method: request.method, status: response.status, durationMs });
    if (this.deps.log.isLevelEnabled("debug")) {
      this.deps.log.debug(
        { callId, shownId, method: request.method, path, status: response.status, durationMs },
        "answered",
      );
    }
    return response;
  }

  private preflight(request: Request, { allow }: Endpoint): Response {
    return this.deps.cors.preflight(request, allow) ?? new Response(null, { status: 204, headers: { allow } });
  }

  private operationOf(request: Request, endpoint: Endpoint): Operation {
    const operation = endpoint.operations.get(request.method === "HEAD" ? "GET" : (request.method as Method));
    if (!operation) throw wrongMethod(request, endpoint);
    if (!operation.route.whileDraining && this.deps.isClosed()) throw closed();
    if (operation.route.sheddable) {
      checkHops(request);
      this.deps.overload.check();
    }
    return operation;
  }

  private rate(
    caller: CallerOf[AuthKind],
    { route }: Operation,
    { errorFormat }: Endpoint,
    told: Record<string, string>,
  ): void {
    if (caller?.kind !== "session" || (errorFormat !== "management" && route.auth !== "session")) return;
    // A browser asks with a cookie, by which no cache on the way would tell people apart.
    told["cache-control"] = "no-store";
    Object.assign(told, this.deps.rate.admit(caller, route.method !== "GET"));
  }

  /** Puts the body into the input. It counts as arriving until it is parsed. */
  private async readBody({ route, body }: Operation, isStored: boolean, input: Input): Promise<void> {
    const { request, caller, connection } = input;
    const incoming = this.deps.bodies.receive({ caller, connection, declaredBytes: declaredBytes(request) });
    try {
      if (route.form) input.form = await readMultipart(request, route.form, incoming);
      else if (body) {
        const arrived = await readJsonBody(request, this.bytesMax(route, isStored, caller), incoming);
        const { numbersAsText = false } = route;
        const parsed = parseJsonBody(arrived, { refuseNul: isStored, numbersAsText });
        route.adopt?.(parsed);
        input.body = body.read(parsed);
      } else input.rawBody = await readBytes(request, route.rawBytesMax ?? 0, incoming);
    } finally {
      incoming.close();
    }
  }

  private bytesMax({ bodyBytesMax }: Route, isStored: boolean, caller: Input["caller"]): number {
    const { requestBytesMax, managementBytesMax } = this.settings;
    if (caller === null) return bodyBytesMax ?? UNAUTHENTICATED_BYTES_MAX;
    return bodyBytesMax ?? (isStored ? managementBytesMax : requestBytesMax);
  }

  /** Logged with the pattern of its path: what people put in its place may be a secret. */
  private failure(
    endpoint: Endpoint | null,
    errorFormat: ErrorFormat,
    thrown: unknown,
    callId: string,
    request: Request,
  ): Response {
    const error = toGatewayError(thrown);
    const response = renderError(errorFormat, error, callId);
    if (response.status >= 500 && !request.signal.aborted) {
      const told = { callId, kind: error.kind, path: endpoint?.pattern.source ?? "unknown" };
      // Turned away on purpose, while it stops or has too much to do: there is nothing to mend, and no stack to read.
      if (error.kind === "unavailable" && error.cause === undefined) this.deps.log.warn(told, error.message);
      else this.deps.log.error({ ...told, err: error.cause ?? error }, error.message);
    }
    return response;
  }

  private theirId({ headers }: Request): string | null {
    const theirs = headers.get("x-gw-call-id");
    return theirs !== null && CALL_ID.test(theirs) ? theirs : null;
  }

  /** A caller's own id is echoed for its logs and used for nothing else; `x-request-id` is ours in any case. */
  private addHeaders(response: Response, request: Request, callId: string): string {
    const echoed = this.theirId(request) ?? callId;
    response.headers.set("x-gw-call-id", echoed);
    response.headers.set("x-request-id", callId);
    if (this.ownPrefix !== null) broadcastMethod(response.headers, this.ownPrefix);
    const cors = this.deps.cors.headersFor(request.headers.get("origin"));
    if (cors) for (const name in cors) response.headers.set(name, cors[name] ?? "");
    return echoed;
  }
}

/** What an operation is given, as it is put together. */
type Input = { -readonly [Field in keyof AnyInput]: AnyInput[Field] };
type AnyInput = Parameters<Route["handle"]>[0];

async function withForm(route: Route, input: Input): Promise<Response> {
  try {
    return await route.handle(input);
  } finally {
    (input.form as MultipartForm).discard();
  }
}

/** What HEAD is answered: everything of GET but the body, its length included. */
async function withoutBody(response: Response): Promise<Response> {
  const { byteLength } = await response.arrayBuffer();
  const bare = new Response(null, { status: response.status, headers: response.headers });
  if (!bare.headers.has("content-length")) bare.headers.set("content-length", String(byteLength));
  return bare;
}

/** By which callers steer a call. Those that carry a key are no part of it: `key_headers` alone says which do. */
const STEERING =
  "call-id tags timeout stream-timeout num-retries customer-id end-user-id session-id trace-id region spend-logs-metadata enable-message-redaction".split(
    " ",
  );

/** Under the operator's own prefix they say the same; where both were sent, ours counts. */
function adopt(headers: Headers, prefix: string): void {
  for (const name of STEERING) {
    const value = headers.get(prefix + name);
    if (value !== null && !headers.has(`x-gw-${name}`)) headers.set(`x-gw-${name}`, value);
  }
}

/** Every header of ours once more under the operator's own prefix. */
function broadcastMethod(headers: Headers, prefix: string): void {
  const ours = [...headers].filter(([name]) => name.startsWith("x-gw-"));
  for (const [name, value] of ours) headers.set(prefix + name.slice("x-gw-".length), value);
}

/** As in a path or a body: no database keeps it. */
const HOLDS_NUL = /\?.*%00/;

function readQuery(operation: Operation, request: Request): unknown {
  const { query } = operation.route;
  if (query && HOLDS_NUL.test(request.url)) {
    throw new GatewayError("invalid_request", "The query holds a NUL character.");
  }
  return query ? operation.query?.read(coerceQuery(query, queryOf(request.url))) : undefined;
}

/**
 * The format of errors. Unknown paths and the list of models belong to several interfaces: there the client's headers
 * show which one it uses.
 */
function errorFormatOf(request: Request, endpoint: Endpoint | null): ErrorFormat {
  const known =
    endpoint?.errorFormat ??
    (isUnservedAction(request) ? "google" : formatOfPath(withoutRepeatedVersion(pathOf(request.url))));
  if (known !== "gateway" || (endpoint !== null && !MODELS.test(endpoint.pattern.source))) return known;
  if (request.headers.has("anthropic-version")) return "anthropic";
  return request.headers.has("x-goog-api-key") ? "google" : known;
}

const MODELS = /^\/v1\/models(?:\/\{|$)/;

const isUnservedAction = ({ method, url }: Request): boolean =>
  method === "POST" && insteadOfAction(pathOf(url)) !== null;

const unknownPath = (request: Request): GatewayError => {
  const path = pathOf(request.url);
  const instead = isUnservedAction(request) ? insteadOfAction(path) : insteadOf(path);
  const advice = instead === null ? "." : `: ${instead}.`;
  return new GatewayError(
    "not_found",
    `There is no ${path.slice(0, 200)} here${advice} The operations are listed at /docs.`,
  );
};

function wrongMethod(request: Request, endpoint: Endpoint): GatewayError {
  const instead = insteadOfOperation(request.method, pathOf(request.url));
  if (instead !== null) {
    const words = `${request.method} ${pathOf(request.url).slice(0, 200)} is not supported: ${instead}.`;
    return new GatewayError("not_found", words);
  }
  return new GatewayError("method_not_allowed", `${request.method} is not possible here; use ${endpoint.allow}.`, {
    headers: { allow: endpoint.allow },
  });
}

const closed = (): GatewayError =>
  new GatewayError("unavailable", "This process is starting or shutting down; send the call again.", {
    headers: { "retry-after": "1", connection: "close" },
  });
