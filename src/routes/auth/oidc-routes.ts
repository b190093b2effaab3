import Type from "typebox";
import type { SingleSignOn } from "../../accounts/single-sign-on.ts";
import { ERRORS, GatewayError } from "../../contract/errors.ts";
import type { HostCookie } from "../../http/host-cookie.ts";
import { queryOf } from "../../http/path.ts";
import { json, plainPage } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";
import { escapeHtml } from "../../lib/html.ts";
import type { SessionAnswers } from "./answer-session.ts";
import { deviceOf } from "./device-of.ts";
import { plainFrame } from "./plain-frame.ts";

export interface OidcDeps extends SessionAnswers {
  readonly singleSignOn: SingleSignOn;
  /** Keeps what has to be remembered until the browser comes back. */
  readonly ticketCookie: HostCookie;
  readonly publicUrlOf: (request: Request) => string;
}

const LOGIN = "/api/auth/oidc/login";
const CALLBACK = "/api/auth/oidc/callback";
const HOME = "/ui";
const TICKET_MS = 10 * 60 * 1000;
const shared = { method: "GET", tag: "Account", auth: "none" } as const;

export const oidcRoutes = (deps: OidcDeps): Route[] => [
  route({
    ...shared,
    paths: ["/api/auth/oidc"],
    summary: "Tell whether there is single sign-on, and how it is called",
    success: Type.Object({
      enabled: Type.Boolean(),
      name: Type.Union([Type.String(), Type.Null()]),
      loginUrl: Type.Union([Type.String(), Type.Null()]),
    }),
    errors: [],
    handle() {
      const { name } = deps.singleSignOn;
      return json({ enabled: name !== null, name, loginUrl: name === null ? null : LOGIN });
    },
  }),
  route({
    ...shared,
    paths: [LOGIN],
    summary: "Leave for the service of single sign-on",
    description: "For a browser. It comes back to `return_to`, a path of this server, with a session in a cookie.",
    query: Type.Object({ return_to: Type.Optional(Type.String({ maxLength: 2000 })) }),
    success: "text/html",
    errors: ["not_found", "invalid_request", "connection"],
    async handle({ request, query }) {
      const returnTo = ownPath(query.return_to ?? HOME);
      const { url, ticket } = await deps.singleSignOn.begin(deps.publicUrlOf(request) + CALLBACK, returnTo);
      return redirect(url.href, [deps.ticketCookie.give(request, ticket, TICKET_MS)]);
    },
  }),
  route({
    ...shared,
    paths: [CALLBACK],
    summary: "Come back from the service of single sign-on",
    success: "text/html",
    errors: ["not_found", "authentication", "permission", "conflict", "connection", "database"],
    async handle({ request, connection }) {
      const { cookie, clock, ticketCookie } = deps;
      const used = ticketCookie.clear(request);
      try {
        const device = deviceOf(request, connection);
        const ticket = ticketCookie.find(request);
        const { issued, returnTo } = await deps.singleSignOn.finish(ticket, `?${queryOf(request.url) ?? ""}`, device);
        const session = cookie.give(request, issued.token, issued.expiresAtMs - clock.nowMs());
        return redirect(returnTo, [session, used]);
      } catch (thrown) {
        if (!isForReader(request, thrown)) throw thrown;
        return plainPage(problemPage(thrown.message), ERRORS[thrown.kind].status, { "set-cookie": used });
      }
    },
  }),
];

/** People see a page; programs the usual body. What is our own fault goes on to the log. */
const isForReader = (request: Request, thrown: unknown): thrown is GatewayError =>
  thrown instanceof GatewayError &&
  ERRORS[thrown.kind].status < 500 &&
  (request.headers.get("accept") ?? "").includes("text/html");

const problemPage = (problem: string): string =>
  plainFrame(
    "Turnpike: sign-in",
    `<h1>You are not signed in</h1>
<p class="problem" role="alert">${escapeHtml(problem)}</p>
<p><a href="${LOGIN}">Try again</a></p>`,
  );

/**
 * The address is taken apart as browsers do it: `//elsewhere` and `/\\elsewhere` are other hosts, and so is what is left of
 * `/..//elsewhere`.
 */
function ownPath(text: string): string {
  const base = "http://own.invalid";
  const url = text.startsWith("/") ? URL.parse(text, base) : null;
  if (url?.origin !== base || url.pathname.startsWith("//"))
    throw new GatewayError("invalid_request", "return_to: it has to be a path of this server.");
  return url.pathname + url.search + url.hash;
}

function redirect(location: string, cookies: readonly string[]): Response {
  const answer = new Response(null, { status: 302, headers: { location, "cache-control": "no-store" } });
  for (const cookie of cookies) answer.headers.append("set-cookie", cookie);
  return answer;
}
