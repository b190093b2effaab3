import Type from "typebox";
import type { DeviceLogIn } from "../../accounts/device-log-in.ts";
import type { Sessions } from "../../accounts/sessions.ts";
import { ERRORS, GatewayError } from "../../contract/errors.ts";
import { FORM_BYTES_MAX, readForm } from "../../http/bodies/read-form.ts";
import { plainPage } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";
import { escapeHtml } from "../../lib/html.ts";
import { deviceOf } from "./device-of.ts";
import { plainFrame } from "./plain-frame.ts";

const TITLE = "Turnpike: log a program in";
const shared = { paths: ["/device"], tag: "Account", auth: "none", success: "text/html", hidden: true } as const;

/**
 * Where a person approves a program. It is a form without a script and without a session: what is sent has to hold the password,
 * so that no other page can send it for somebody.
 */
export const devicePage = (sessions: Sessions, deviceLogIn: DeviceLogIn): Route[] => [
  route({
    ...shared,
    method: "GET",
    summary: "Approve the log-in of a program",
    query: Type.Object({ user_code: Type.Optional(Type.String()) }),
    errors: [],
    handle: ({ query }) => plainPage(form(query.user_code ?? "", "")),
  }),
  route({
    ...shared,
    method: "POST",
    summary: "Approve the log-in of a program",
    errors: ["authentication", "not_found", "rate_limit", "database", "unsupported_media_type"],
    rawBytesMax: FORM_BYTES_MAX,
    async handle({ request, connection, rawBody }) {
      const field = readForm(request, rawBody);
      const [userCode, email, code] = [field("user_code"), field("email"), field("code")];
      try {
        const device = deviceOf(request, connection);
        const login = { email, password: field("password"), ...(code === "" ? {} : { code }) };
        const isApproved = field("decision") !== "deny";
        await deviceLogIn.decideAs(await sessions.prove(login, device), userCode, isApproved, device.address);
        return plainPage(done(isApproved));
      } catch (thrown) {
        if (!(thrown instanceof GatewayError)) throw thrown;
        return plainPage(form(userCode, email, thrown.message), ERRORS[thrown.kind].status, thrown.headers);
      }
    },
  }),
];

const done = (isApproved: boolean): string =>
  plainFrame(
    TITLE,
    isApproved
      ? "<h1>Approved</h1><p>The program is logged in. You can close this page.</p>"
      : "<h1>Refused</h1><p>The program was not let in. You can close this page.</p>",
  );

const form = (userCode: string, email: string, problem = ""): string =>
  plainFrame(
    TITLE,
    `<h1>Let a program in</h1>
<p>Go on only if you have started the log-in yourself, and the program shows the same code.</p>
${problem === "" ? "" : `<p class="problem" role="alert">${escapeHtml(problem)}</p>`}
<form method="post" action="/device" autocomplete="on">
<label>Code that the program shows<input name="user_code" value="${escapeHtml(userCode)}" required maxlength="20" autocapitalize="characters" autocomplete="off"></label>
<label>E-mail<input name="email" type="email" value="${escapeHtml(email)}" required maxlength="254" autocomplete="username"></label>
<label>Password<input name="password" type="password" required autocomplete="current-password"></label>
<label>Code of your second factor, if you have one<input name="code" maxlength="32" inputmode="text" autocomplete="one-time-code"></label>
<button name="decision" value="approve">Approve</button> <button class="second" name="decision" value="deny">Refuse</button>
</form>`,
  );
