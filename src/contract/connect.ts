import Type, { type Static } from "typebox";
import { BudgetWindowText } from "./limits.ts";
import { nullable } from "./schema.ts";

/** Schemas of apps that get a key of a person's own. What an app sends has the names that it has at OpenRouter. */
const CallbackUrl = Type.String({
  minLength: 1,
  description: "Where the code goes: `https://`, or `http://` on the person's own machine.",
});
const Challenge = Type.String({ description: "The SHA-256 of the app's verifier as base64url." });
const Method = Type.String({ description: "`S256`, which is also meant where it is left out." });
const State = Type.String({ description: "Comes back with the code as it is." });

const ASKED = {
  callback_url: CallbackUrl,
  code_challenge: Challenge,
  code_challenge_method: Type.Optional(Method),
  state: Type.Optional(State),
};

export const ConnectQuery = Type.Object(ASKED);
export type ConnectQuery = Static<typeof ConnectQuery>;

const Instant = Type.String({ format: "date-time" });
const Budget = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description: "In nano-USD; 10 USD a month where it is left out, null for no limit.",
});
const Expiry = Type.String({
  maxLength: 40,
  description: "When the key ends; in 90 days where it is left out, null for never.",
});
const TeamId = Type.String({ minLength: 1, maxLength: 64 });

export const ConnectBody = Type.Object({
  ...ASKED,
  deny: Type.Optional(Type.Boolean({ description: "The app gets no key, and is told so." })),
  teamId: Type.Optional({ ...TeamId, description: "The team that the key will belong to; not needed to refuse." }),
  team_id: Type.Optional(TeamId),
  budget: nullable(Budget),
  budgetWindow: nullable(BudgetWindowText),
  budget_window: nullable(BudgetWindowText),
  expiresAt: nullable(Expiry),
  expires_at: nullable(Expiry),
});

export const ConnectView = Type.Object({
  host: Type.String({ description: "Of the app, with its port." }),
  isLocal: Type.Boolean({ description: "The app runs on the person's own machine." }),
  callbackUrl: Type.String({ description: "As browsers read it." }),
  keyName: Type.String(),
  teams: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      organizationId: Type.String(),
      organizationName: Type.String(),
    }),
    { description: "Those that the person may make keys for." },
  ),
  budget: Type.Integer({ description: "What is proposed, in nano-USD." }),
  budgetWindow: BudgetWindowText,
  expiresAt: Instant,
});
export type ConnectView = Static<typeof ConnectView>;

export const ConnectAnswer = Type.Object({
  redirectTo: Type.String({ description: "Where the browser goes next, with `code` or `error` in it." }),
});
export type ConnectAnswer = Static<typeof ConnectAnswer>;

export const ExchangeBody = Type.Object({
  code: Type.String({ minLength: 1, maxLength: 100 }),
  code_verifier: Type.String({
    pattern: "^[A-Za-z0-9._~-]{43,128}$",
    description: "What the challenge was made of: 43 to 128 letters, digits, `-`, `.`, `_` or `~`.",
  }),
  code_challenge_method: nullable(Method),
  callback_url: nullable({ ...CallbackUrl, description: "Where the code came to; checked where it is sent." }),
});

export const ExchangeAnswer = Type.Object({
  key: Type.String({ description: "The whole key. It is shown this once." }),
  user_id: Type.String(),
});
