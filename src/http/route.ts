import type { Static, TSchema } from "typebox";
import type { AuthKind, CallerOf } from "../contract/caller.ts";
import type { ErrorKind } from "../contract/errors.ts";
import type { TokenScope } from "../contract/management-tokens.ts";
import type { ClientEars } from "./client-socket.ts";
import type { FormSpec, MultipartForm } from "./form.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** What the handler may ask of the connection that carries a call. */
export interface Connection {
  /** Calls that wait for a model switch off the server's idle time-out; they hold their own. */
  keepOpen(): void;
  /** The wait is over: the idle time-out applies again. */
  release(): void;
  readonly remoteAddress: string | null;
  /** Runs `stop` when the server closes its connections. Returns what cancels that. Absent where no client is connected. */
  readonly onClosing?: ((stop: () => void) => () => void) | undefined;
  /** Makes a WebSocket of it; false where it is gone. Absent where nothing can become one. */
  readonly upgrade?: ((ears: ClientEars, headers: Readonly<Record<string, string>>) => boolean) | undefined;
}

export interface Context<A extends AuthKind, P, Q, B, F = undefined> {
  readonly request: Request;
  readonly connection: Connection;
  /** Our own id of the call: the key of every record about it. */
  readonly callId: string;
  readonly receivedAtMs: number;
  /** The path that was called, without its query. */
  readonly path: string;
  readonly caller: CallerOf[A];
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /** The fields and the file of a multipart body, where the route takes one. */
  readonly form: F;
  /** The bytes of the body, where the route names `rawBytesMax`; else none. */
  readonly rawBody: Uint8Array;
}

export const NO_BYTES = new Uint8Array(0);

type Shape<S> = S extends TSchema ? Static<S> : undefined;

/** Everything that a reader, the dispatcher or the API description needs to know of an operation. */
export interface RouteSpec<
  A extends AuthKind,
  P extends TSchema | undefined,
  Q extends TSchema | undefined,
  B extends TSchema | undefined,
  F extends FormSpec | undefined = undefined,
> {
  readonly method: Method;
  /** The first path is the canonical one; the others are the same operation. */
  readonly paths: readonly [string, ...string[]];
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly auth: A;
  /** What a management token must have been made for; without it no such token is taken. With `auth: "admin"` only tokens of administrators are. */
  readonly scope?: TokenScope;
  /** Changes nothing but the session: an administrator who sees the platform as somebody else may do it too. */
  readonly whileSeeingAs?: boolean;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  /** Puts what other clients write in their own way as the schema has it, before the body is checked. */
  readonly adopt?: (body: unknown) => void;
  /** In place of `body`: a multipart form with one file. */
  readonly form?: F;
  /** In place of `body`: its bytes as they were sent, at most so many, for a handler that parses them. */
  readonly rawBytesMax?: number;
  /** What the body holds is kept in the database, as everything under `/api` is: it is small, and without NUL. */
  readonly stored?: boolean;
  /** The body's numbers come as they were written, as text: for amounts that must not pass through a binary fraction. */
  readonly numbersAsText?: boolean;
  /** Overrides the server's limit for the body of this operation. */
  readonly bodyBytesMax?: number;
  /** The schema of a successful JSON answer, or the media type of another one. */
  readonly success?: TSchema | string;
  /** Other media types of a successful response, such as that of a stream. */
  readonly otherTypes?: readonly string[];
  readonly successStatus?: 101 | 200 | 201 | 204;
  readonly errors: readonly ErrorKind[];
  /** The schema of its 503, where that is an answer of its own and no error's. */
  readonly unavailable?: TSchema;
  /** It calls a model: turned away while the process cannot keep up. */
  readonly sheddable?: boolean;
  /** It is answered by a WebSocket. Its paths have no parameters. */
  readonly socket?: boolean;
  /** Health and metrics answer while the process drains. */
  readonly whileDraining?: boolean;
  /** Asked by machines that say in another way who they are, or that learn nothing: also from addresses that may not call. */
  readonly skipsIpAllowlist?: boolean;
  /** Pages and files for people are not part of the API description. */
  readonly hidden?: boolean;
  handle(
    context: Context<A, Shape<P>, Shape<Q>, Shape<B>, F extends FormSpec ? MultipartForm : undefined>,
  ): Response | Promise<Response>;
}

/** A route whose types are checked where it is declared and forgotten where it is listed. */
export type Route = Omit<
  RouteSpec<AuthKind, TSchema | undefined, TSchema | undefined, TSchema | undefined, FormSpec | undefined>,
  "handle"
> & {
  handle(context: Context<AuthKind, unknown, unknown, unknown, unknown>): Response | Promise<Response>;
};

export function route<
  A extends AuthKind,
  P extends TSchema | undefined = undefined,
  Q extends TSchema | undefined = undefined,
  B extends TSchema | undefined = undefined,
  F extends FormSpec | undefined = undefined,
>(spec: RouteSpec<A, P, Q, B, F>): Route {
  return spec as unknown as Route;
}

/** Which of the four error bodies a path answers with. */
export type ErrorFormat = "gateway" | "management" | "anthropic" | "google";
export function formatOfPath(path: string): ErrorFormat {
  if (ANTHROPIC.test(path)) return "anthropic";
  if (GOOGLE.test(path)) return "google";
  return PLATFORM.test(path) ? "management" : "gateway";
}

const ANTHROPIC = /^\/(?:(?:api\/)?v1\/messages|anthropic)(?:\/|$)/;
const GOOGLE =
  /^\/v1beta(?:\/|$)|^(?:\/v1)?\/models\/.+:(?:generateContent|streamGenerateContent|countTokens|embedContent|batchEmbedContents)$/;
/** What lies under `/api/v1` is called by programs that know OpenRouter, and reads like the gateway. */
const PLATFORM = /^\/api(?:\/(?!v1\/)|$)/;

export const takesBody = ({ body, form, rawBytesMax }: Route): boolean =>
  body !== undefined || form !== undefined || rawBytesMax !== undefined;

/** Errors that any operation can answer with, by what it declares; the rest it lists itself. */
export function declaredErrors(spec: Route): ErrorKind[] {
  const kinds = new Set<ErrorKind>(spec.errors);
  if (spec.auth !== "none") kinds.add("authentication");
  // From an address that may not call; with a session in a cookie also from a page that is none of ours.
  if (!spec.skipsIpAllowlist) kinds.add("permission");
  // One that calls too often is slowed down.
  if (spec.auth === "session" || (spec.auth === "admin" && formatOfPath(spec.paths[0]) === "management"))
    kinds.add("rate_limit");
  if (spec.auth !== "none") kinds.add("database");
  if (spec.params || spec.query || spec.body || spec.form) kinds.add("validation");
  if (spec.body || spec.form) for (const kind of ["malformed_body", "unsupported_media_type"] as const) kinds.add(kind);
  if (takesBody(spec)) for (const kind of ["body_too_large", "timeout"] as const) kinds.add(kind);
  kinds.add("internal");
  if (!spec.whileDraining) kinds.add("unavailable");
  return [...kinds];
}
