import type { Sessions } from "../../accounts/sessions.ts";
import type { SessionCaller } from "../../contract/caller.ts";
import { ERRORS, GatewayError } from "../../contract/errors.ts";
import { FORM_BYTES_MAX, readForm } from "../../http/bodies/read-form.ts";
import { plainPage } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";
import { escapeHtml } from "../../lib/html.ts";
import { type SessionAnswers, sessionTold } from "./answer-session.ts";
import { deviceOf } from "./device-of.ts";
import { plainFrame } from "./plain-frame.ts";

const LOGIN = "/fallback/login";
const HOME = "/fallback";
const LOGOUT = "/fallback/logout";
const shared = { tag: "Account", auth: "none", success: "text/html", hidden: true } as const;
const sharedByForms = { ...shared, method: "POST", rawBytesMax: FORM_BYTES_MAX } as const;
/** A form sends its `Origin` only where the page may tell this server where it came from. */
const TELLS_US = { "referrer-policy": "same-origin" };

/** Logging in without a script, and when single sign-on is down: forms, written here. */
export const fallbackLogIn = (sessions: Sessions, answers: SessionAnswers): Route[] => {
  const { cookie } = answers;
  const findCaller = async (request: Request): Promise<SessionCaller | null> => {
    const token = cookie.find(request);
    if (token === null) return null;
    return sessions.verify(token).catch((thrown) => {
      if (thrown instanceof GatewayError && thrown.kind === "authentication") return null;
      throw thrown;
    });
  };
  return [
    route({
      ...shared,
      method: "GET",
      paths: [LOGIN],
      summary: "Log in without a script",
      errors: [],
      handle: () => show(form("")),
    }),
    route({
      ...sharedByForms,
      paths: [LOGIN],
      summary: "Log in without a script",
      errors: ["authentication", "permission", "rate_limit", "database", "unsupported_media_type"],
      async handle({ request, connection, rawBody }) {
        const field = readForm(request, rawBody);
        const [email, code] = [field("email"), field("code").trim()];
        try {
          // Another page could log somebody into an account that is not theirs.
          if (!cookie.isOwnOrigin(request)) throw new GatewayError("permission", "Log in on this server's own page.");
          const login = { email, password: field("password"), ...(code === "" ? {} : { code }) };
          const issued = await sessions.logIn(login, deviceOf(request, connection));
          return goTo(HOME, sessionTold(answers, request, issued, true).headers);
        } catch (thrown) {
          if (!(thrown instanceof GatewayError)) throw thrown;
          return show(form(email, thrown.message), ERRORS[thrown.kind].status, thrown.headers);
        }
      },
    }),
    route({
      ...shared,
      method: "GET",
      paths: [HOME],
      summary: "Who is logged in, without a script",
      errors: ["database"],
      async handle({ request }) {
        const caller = await findCaller(request);
        return caller === null ? goTo(LOGIN) : show(home(caller, cookie.csrfTokenOf(caller.sessionId)));
      },
    }),
    route({
      ...sharedByForms,
      paths: [LOGOUT],
      summary: "Log out without a script",
      errors: ["permission", "database", "unsupported_media_type"],
      async handle({ request, connection, rawBody }) {
        const field = readForm(request, rawBody);
        const caller = await findCaller(request);
        if (caller !== null) {
          cookie.requireOwnForm(request, caller.sessionId, field("csrf_token"));
          await sessions.revoke(caller, caller.sessionId, connection.remoteAddress);
        }
        return goTo(LOGIN, { "set-cookie": cookie.clear(request) });
      },
    }),
  ];
};

const show = (html: string, status = 200, headers: Readonly<Record<string, string>> = {}): Response =>
  plainPage(html, status, { ...TELLS_US, ...headers });

const goTo = (location: string, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(null, { status: 303, headers: { location, "cache-control": "no-store", ...headers } });

const form = (email: string, problem = ""): string =>
  plainFrame(
    "Log in · Turnpike",
    `<h1>Log in</h1>
${problem === "" ? "" : `<p class="problem" role="alert">${escapeHtml(problem)}</p>`}
<form method="post" action="${LOGIN}">
<label>E-mail<input name="email" type="email" value="${escapeHtml(email)}" required maxlength="254" autocomplete="username"></label>
<label>Password<input name="password" type="password" required autocomplete="current-password"></label>
<label>Code of your second factor, if you have one<input name="code" maxlength="32" autocomplete="one-time-code"></label>
<button>Log in</button>
</form>
<p><a href="/ui/login">The usual log-in</a></p>`,
  );

const home = ({ name, email, role }: SessionCaller, csrfToken: string): string =>
  plainFrame(
    "Turnpike",
    `<h1>You are logged in</h1>
<dl>
<dt>Name</dt><dd>${escapeHtml(name)}</dd>
<dt>E-mail</dt><dd>${escapeHtml(email)}</dd>
<dt>Rights</dt><dd>${role === "admin" ? "Administrator of this installation" : "Those of your organizations"}</dd>
</dl>
<p><a href="/ui">To the pages</a> (they need JavaScript), or <a href="/docs">to the API</a>.</p>
<form method="post" action="${LOGOUT}">
<input type="hidden" name="csrf_token" value="${escapeHtml(csrfToken)}">
<button>Log out</button>
</form>`,
  );
