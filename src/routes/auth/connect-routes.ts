import Type from "typebox";
import type { AskedByApp, Connect } from "../../accounts/connect.ts";
import {
  ConnectAnswer,
  ConnectBody,
  ConnectQuery,
  ConnectView,
  ExchangeAnswer,
  ExchangeBody,
} from "../../contract/connect.ts";
import { eitherOf, requiredOf } from "../../contract/either-of.ts";
import { isoTime } from "../../contract/users.ts";
import { json } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";

const PAGE = "/ui/connect";
const ASKED = ["callback_url", "code_challenge", "code_challenge_method", "state"] as const;
const Anything = Type.Optional(Type.String());
const NOT_STORED = { "cache-control": "no-store" };

/** Apps that get a key of a person's own: what they ask for, what the person says to it, and the key for the code. */
export const connectRoutes = (connect: Connect): Route[] => [
  route({
    method: "GET",
    paths: ["/auth"],
    tag: "Account",
    summary: "Ask a person for a key, in a browser",
    auth: "none",
    query: Type.Object({
      callback_url: Anything,
      code_challenge: Anything,
      code_challenge_method: Anything,
      state: Anything,
    }),
    success: "text/html",
    hidden: true,
    errors: [],
    // What is wrong with it, the page says: it is a person who reads it.
    handle({ query }) {
      const asked = new URLSearchParams();
      for (const name of ASKED) if (query[name] !== undefined) asked.set(name, query[name]);
      const location = `${PAGE}?${asked}`;
      return new Response(null, {
        status: 303,
        headers: { location, ...NOT_STORED, "referrer-policy": "no-referrer" },
      });
    },
  }),
  route({
    method: "GET",
    paths: ["/api/auth/connect"],
    tag: "Account",
    summary: "Read what an app asks for",
    description: "For the page that `/auth` leads to: whose app it is, and the teams that its key could belong to.",
    auth: "session",
    query: ConnectQuery,
    success: ConnectView,
    errors: ["invalid_request"],
    async handle({ caller, query }) {
      const { callback, name, teams, proposed } = await connect.describe(caller, askedOf(query));
      const { host, isLocal, url: callbackUrl } = callback;
      return json({
        host,
        isLocal,
        callbackUrl,
        keyName: name,
        teams,
        ...proposed,
        expiresAt: isoTime(proposed.expiresAt),
      });
    },
  }),
  route({
    method: "POST",
    paths: ["/api/auth/connect"],
    tag: "Account",
    summary: "Let an app have a key, or refuse it",
    description:
      "The browser then goes to `redirectTo`, the app's `callback_url` with a `code` that is good once and for five minutes, " +
      "or with `error=access_denied`.",
    auth: "session",
    body: ConnectBody,
    success: ConnectAnswer,
    errors: ["invalid_request", "permission", "not_found"],
    async handle({ caller, body, connection }) {
      const decision = { caller, address: connection.remoteAddress, asked: askedOf(body) };
      if (body.deny) return json({ redirectTo: await connect.deny(decision) });
      const teamId = requiredOf("teamId", body.teamId, body.team_id);
      const settings = {
        budget: body.budget,
        budgetWindow: eitherOf(body.budgetWindow, body.budget_window),
        expiresAt: eitherOf(body.expiresAt, body.expires_at),
      };
      return json({ redirectTo: await connect.allow({ ...decision, teamId, settings }) });
    },
  }),
  route({
    method: "POST",
    paths: ["/api/v1/auth/keys", "/auth/keys", "/v1/auth/keys"],
    tag: "Account",
    summary: "Get the key for the code of an app",
    description:
      "Without a credential: the code and the verifier behind its challenge are what counts. A code is good for one try; with " +
      "a wrong verifier it is over, too.",
    auth: "none",
    body: ExchangeBody,
    stored: true,
    success: ExchangeAnswer,
    errors: ["invalid_request", "permission", "rate_limit", "database"],
    async handle({ body, connection }) {
      const { secret, userId } = await connect.exchange({
        code: body.code,
        verifier: body.code_verifier,
        method: body.code_challenge_method ?? undefined,
        callbackUrl: body.callback_url ?? undefined,
        address: connection.remoteAddress,
      });
      return json({ key: secret, user_id: String(userId) }, 200, NOT_STORED);
    },
  }),
];

const askedOf = ({ callback_url, code_challenge, code_challenge_method, state }: ConnectQuery): AskedByApp => ({
  callbackUrl: callback_url,
  challenge: code_challenge,
  method: code_challenge_method,
  state,
});
