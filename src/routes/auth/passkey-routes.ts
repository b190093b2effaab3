import Type from "typebox";
import type { PasskeySignIn } from "../../accounts/passkey-sign-in.ts";
import { placeOf, TICKET_MS } from "../../accounts/passkey-tickets.ts";
import type { Passkeys } from "../../accounts/passkeys.ts";
import type { Passkey } from "../../accounts/sign-in-records.ts";
import { Done } from "../../contract/organizations.ts";
import { cutPage, PagedList, PageQuery, paged, pageOf } from "../../contract/paging.ts";
import {
  CreatePasskeyBody,
  PasskeyName,
  PasskeyRecord,
  SignedCredential,
  WebAuthnOptions,
} from "../../contract/passkeys.ts";
import { isoTime, isoTimeOrNull, OneTimeCode, Password } from "../../contract/users.ts";
import type { HostCookie } from "../../http/host-cookie.ts";
import { json } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";
import { NOT_STORED } from "../keys/key-record.ts";
import { cookieAnswer, type SessionAnswers, SessionView, tokenAnswer } from "./answer-session.ts";
import { deviceOf } from "./device-of.ts";

export interface PasskeyRouteDeps extends SessionAnswers {
  readonly passkeys: Passkeys;
  readonly passkeySignIn: PasskeySignIn;
  /** Keeps what has to be remembered until the device has answered. */
  readonly passkeyCookie: HostCookie;
  readonly publicUrlOf: (request: Request) => string;
}

const PATH = "/api/auth/passkeys";
const OnePasskey = Type.Object({ id: Type.String() });
/** None names a scope: a token looks after no passkeys. */
const own = { tag: "Account", auth: "session" } as const;
const open = { method: "POST", tag: "Account", auth: "none" } as const;

export const passkeyRoutes = (deps: PasskeyRouteDeps): Route[] => [...signInRoutes(deps), ...ownRoutes(deps)];

const signInRoutes = (deps: PasskeyRouteDeps): Route[] => [
  route({
    ...open,
    paths: [`${PATH}/sign-in/options`],
    summary: "Ask for a passkey to log in with",
    description:
      "For a browser: `options` are for `navigator.credentials.get`. A cookie keeps what the answer is compared with, for five minutes.",
    success: Type.Object({ options: WebAuthnOptions }),
    errors: ["invalid_request", "conflict"],
    async handle({ request }) {
      const { options, ticket } = await deps.passkeySignIn.begin(placeOf(deps.publicUrlOf(request)));
      const cookie = deps.passkeyCookie.give(request, ticket, TICKET_MS);
      return json({ options }, 200, { ...NOT_STORED, "set-cookie": cookie });
    },
  }),
  route({
    ...open,
    paths: [`${PATH}/sign-in`],
    summary: "Log in with a passkey",
    description:
      "No e-mail, password or code is asked for: the device says who it is, and has looked at a finger, a face or a PIN. An " +
      "answer is good once; a wrong one costs time, as a wrong password does.",
    body: Type.Object({
      credential: SignedCredential,
      cookie: Type.Optional(Type.Boolean({ description: "For a browser: the session comes as a cookie." })),
    }),
    success: SessionView,
    errors: ["invalid_request", "authentication", "permission", "conflict", "rate_limit", "database"],
    async handle({ body, request, connection }) {
      const place = placeOf(deps.publicUrlOf(request));
      const device = deviceOf(request, connection);
      const ticket = deps.passkeyCookie.find(request);
      const issued = await deps.passkeySignIn.finish(ticket, body.credential, place, device);
      const answer = body.cookie === true ? cookieAnswer(deps, request, issued) : tokenAnswer(issued);
      answer.headers.append("set-cookie", deps.passkeyCookie.clear(request));
      return answer;
    },
  }),
];

const ownRoutes = ({ passkeys, passkeyCookie, publicUrlOf }: PasskeyRouteDeps): Route[] => [
  route({
    ...own,
    method: "GET",
    paths: [PATH],
    summary: "List one's own passkeys",
    query: PageQuery,
    success: PagedList(PasskeyRecord),
    errors: [],
    async handle({ caller, query }) {
      const page = pageOf(query);
      const all = await passkeys.list(caller);
      return json(paged(cutPage(all, page).map(toRecord), page, all.length));
    },
  }),
  route({
    ...own,
    method: "POST",
    paths: [`${PATH}/options`],
    summary: "Begin to add a passkey, with the password or a code",
    description:
      "For a browser: `options` are for `navigator.credentials.create`. A cookie keeps what the answer is compared with, for five " +
      "minutes. Who has neither password nor second factor must have signed in within the last ten minutes.",
    body: Type.Object({ password: Type.Optional(Password), code: Type.Optional(OneTimeCode) }),
    success: Type.Object({ options: WebAuthnOptions }),
    errors: ["invalid_request", "permission", "conflict", "rate_limit"],
    async handle({ caller, body, request, connection }) {
      const actor = { caller, address: connection.remoteAddress };
      const { options, ticket } = await passkeys.begin(actor, body, placeOf(publicUrlOf(request)));
      const cookie = passkeyCookie.give(request, ticket, TICKET_MS);
      return json({ options }, 200, { ...NOT_STORED, "set-cookie": cookie });
    },
  }),
  route({
    ...own,
    method: "POST",
    paths: [PATH],
    summary: "Add the passkey that was made",
    description: "Where mail is sent, the person is told, and adds at most five in an hour.",
    body: CreatePasskeyBody,
    success: PasskeyRecord,
    successStatus: 201,
    errors: ["invalid_request", "conflict", "rate_limit"],
    async handle({ caller, body, request, connection }) {
      const actor = { caller, address: connection.remoteAddress };
      const place = placeOf(publicUrlOf(request));
      const ticket = passkeyCookie.find(request);
      const { name, credential } = body;
      const passkey = await passkeys.add(actor, { ticket, name, credential, place });
      return json(toRecord(passkey), 201, { "set-cookie": passkeyCookie.clear(request) });
    },
  }),
  route({
    ...own,
    method: "PATCH",
    paths: [`${PATH}/{id}`],
    summary: "Rename one of one's own passkeys",
    params: OnePasskey,
    body: Type.Object({ name: PasskeyName }),
    success: PasskeyRecord,
    errors: ["invalid_request", "not_found"],
    async handle({ caller, params, body, connection }) {
      const actor = { caller, address: connection.remoteAddress };
      return json(toRecord(await passkeys.rename(actor, params.id, body.name)));
    },
  }),
  route({
    ...own,
    method: "DELETE",
    paths: [`${PATH}/{id}`],
    summary: "Remove one of one's own passkeys",
    description:
      "Nobody logs in with it from then on; sessions that it has opened go on. Where mail is sent, the person is told.",
    params: OnePasskey,
    success: Done,
    errors: ["not_found"],
    async handle({ caller, params, connection }) {
      await passkeys.remove({ caller, address: connection.remoteAddress }, params.id);
      return json({ success: true });
    },
  }),
];

/** Field by field, so that nothing of the credential itself is shown. */
const toRecord = ({ id, name, rpId, createdAt, lastUsedAt }: Passkey): PasskeyRecord => ({
  id,
  name,
  host: rpId,
  createdAt: isoTime(createdAt),
  lastUsedAt: isoTimeOrNull(lastUsedAt),
});
