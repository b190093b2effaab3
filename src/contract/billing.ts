import Type, { type Static } from "typebox";
import { GatewayError } from "./errors.ts";
import { formatUsd, parseUsd } from "./money.ts";
import { Instant } from "./users.ts";

/** Schemas of credit as the platform's API has it. Amounts are integer nano-USD; `...Usd` is the same as decimal text. */
const Nano = Type.Integer({ description: "In nano-USD." });
const Usd = Type.String({ description: "The same in USD, as decimal text." });

export const BalanceRecord = Type.Object({
  organizationId: Type.String(),
  balance: Nano,
  balanceUsd: Usd,
  held: Nano,
  available: Nano,
  unit: Type.String(),
});

export const QuotaRecord = Type.Object({
  organizationId: Type.String(),
  balance: Nano,
  balanceUsd: Usd,
  held: Nano,
  available: Nano,
  availableUsd: Usd,
  purchased: Nano,
  granted: Nano,
  used: Nano,
  status: Type.Enum(["active", "exceeded"]),
  blockedTeams: Type.Integer(),
  autoTopUp: Type.Object({
    enabled: Type.Boolean(),
    threshold: Nano,
    amount: Nano,
    monthlyCap: Type.Union([Nano, Type.Null()]),
  }),
  alerts: Type.Array(Nano),
  currency: Type.String(),
  unit: Type.String(),
  updatedAt: Type.Union([Instant, Type.Null()]),
});

export const LedgerLineRecord = Type.Object({
  id: Type.String(),
  at: Instant,
  kind: Type.String(),
  amount: Nano,
  amountUsd: Usd,
  balance: Type.Integer({ description: "Of the wallet after this entry, in nano-USD." }),
  balanceUsd: Usd,
  actor: Type.String(),
  reason: Type.String(),
  details: Type.Object({}, { additionalProperties: true }),
});
export type LedgerLineRecord = Static<typeof LedgerLineRecord>;

const AmountUsd = Type.Union([Type.String({ maxLength: 20 }), Type.Number({ minimum: 0 })], {
  description: 'In USD: `12.5` or `"12.5"`.',
});

export const GrantBody = Type.Object({
  amount: Type.Optional(
    Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: "In nano-USD; or `amountUsd`." }),
  ),
  amountUsd: Type.Optional(AmountUsd),
  amount_usd: Type.Optional(AmountUsd),
  reason: Type.String({
    minLength: 1,
    maxLength: 500,
    pattern: "^[^\\u0000-\\u001f\\u007f]*\\S[^\\u0000-\\u001f\\u007f]*$",
  }),
  idempotencyKey: Type.Optional(Type.String({ minLength: 1, maxLength: 255, pattern: "^[\\x20-\\x7e]+$" })),
  idempotency_key: Type.Optional(Type.String({ minLength: 1, maxLength: 255, pattern: "^[\\x20-\\x7e]+$" })),
});
export type GrantBody = Static<typeof GrantBody>;

export const GrantRecord = Type.Object({
  id: Type.String({ description: "Of the entry in the ledger." }),
  organizationId: Type.String(),
  amount: Nano,
  amountUsd: Usd,
  balance: Nano,
  balanceUsd: Usd,
  replayed: Type.Boolean({ description: "Whether the grant had been made before, under the same key." }),
});

/** The amount of a body that may give it in nano-USD or in USD, but not in both. */
export function amountOf({
  amount,
  amountUsd,
  amount_usd,
}: Pick<GrantBody, "amount" | "amountUsd" | "amount_usd">): bigint {
  const usd = amountUsd ?? amount_usd;
  if ((amount === undefined) === (usd === undefined)) {
    throw new GatewayError("invalid_request", "Give either `amount` in nano-USD or `amountUsd`.", { param: "amount" });
  }
  const nano = amount === undefined ? parseUsd(String(usd)) : BigInt(amount);
  if (nano !== null && nano > 0n && nano <= BigInt(Number.MAX_SAFE_INTEGER)) return nano;
  throw new GatewayError("invalid_request", "amountUsd: give an amount above 0 with at most nine decimals.", {
    param: "amountUsd",
  });
}

interface Held {
  readonly balance: bigint;
  readonly held: bigint;
}

/** Numbers as JSON has them: a wallet holds no more than they are exact for. */
export const quotaRecord = ({ balance, held }: Held) => ({
  balance: Number(balance),
  held: Number(held),
  available: Number(balance - held),
});

export const amountRecord = (amount: bigint) => ({ amount: Number(amount), amountUsd: formatUsd(amount) });
export const balanceRecord = (balance: bigint) => ({ balance: Number(balance), balanceUsd: formatUsd(balance) });
