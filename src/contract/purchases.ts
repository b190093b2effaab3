import Type, { type Static } from "typebox";
import { GatewayError } from "./errors.ts";
import { parseUsd } from "./money.ts";
import { NOTICE_TYPES } from "./notice-types.ts";
import { nullable } from "./schema.ts";
import { Instant } from "./users.ts";

/** Schemas of what is bought, as the platform's API has them. Amounts are nano-USD, with a decimal of USD beside them. */
export const Nano = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: "In nano-USD." });
const Usd = Type.Union([Type.Number({ exclusiveMinimum: 0 }), Type.String({ maxLength: 32 })], {
  description: 'The same in USD, such as `20` or `"19.99"`.',
});
const OrganizationId = Type.String({ minLength: 1, maxLength: 64, pattern: "^[\\w-]+$" });

/** An amount in either unit; one of the two is needed. */
const AmountFields = {
  amount: Type.Optional(Nano),
  amountUsd: Type.Optional(Usd),
  amount_usd: Type.Optional(Usd),
};

export interface AmountGiven {
  readonly amount?: number;
  readonly amountUsd?: number | string;
  readonly amount_usd?: number | string;
}

export function findAmount(given: AmountGiven, name = "amount"): bigint | null {
  const usd = given.amountUsd ?? given.amount_usd;
  if (given.amount !== undefined && usd !== undefined) throw wrong(name, "send it in nano-USD or in USD, not in both.");
  if (given.amount !== undefined) return BigInt(given.amount);
  if (usd === undefined) return null;
  const nano = parseUsd(String(usd));
  if (nano === null || nano <= 0n) throw wrong(`${name}Usd`, "it must be an amount in USD with up to nine decimals.");
  return nano;
}

export function getAmount(given: AmountGiven, name = "amount"): bigint {
  const amount = findAmount(given, name);
  if (amount === null) throw wrong(name, `Field required, or \`${name}Usd\` in its place.`);
  return amount;
}

const wrong = (name: string, why: string): GatewayError =>
  new GatewayError("invalid_request", `${name}: ${why}`, { param: name });

export const CheckoutBody = Type.Object({
  ...AmountFields,
  organizationId: Type.Optional(OrganizationId),
  organization_id: Type.Optional(OrganizationId),
});

export const PurchaseRecord = Type.Object({
  id: Type.String(),
  organizationId: Type.String(),
  userId: Type.Union([Type.Integer(), Type.Null()]),
  kind: Type.Enum(["checkout", "auto_top_up"]),
  amount: Type.Integer(),
  amountUsd: Type.String(),
  totalCents: Type.Integer(),
  currency: Type.String(),
  status: Type.Enum(["pending", "paid", "failed", "expired", "refunded"]),
  provider: Type.String(),
  mode: Type.Enum(["test", "live"]),
  checkoutUrl: Type.Union([Type.String(), Type.Null()]),
  receiptUrl: Type.Union([Type.String(), Type.Null()]),
  refunded: Type.Integer(),
  refundedUsd: Type.String(),
  disputed: Type.Integer(),
  failure: Type.Union([Type.String(), Type.Null()]),
  createdAt: Instant,
  expiresAt: Instant,
  paidAt: Type.Union([Instant, Type.Null()]),
});
export type PurchaseRecord = Static<typeof PurchaseRecord>;

/** Who sells the credits, as receipts and statements name them. */
export const SellerRecord = Type.Object({
  name: Type.String(),
  address: Type.Union([Type.String(), Type.Null()]),
  taxId: Type.Union([Type.String(), Type.Null()]),
});
export type SellerRecord = Static<typeof SellerRecord>;

export const CheckoutAnswer = Type.Object({ purchase: PurchaseRecord, checkoutUrl: Type.String() });
export type CheckoutAnswer = Static<typeof CheckoutAnswer>;

export const RefundBody = Type.Object(AmountFields);

export const PaymentEventRecord = Type.Object({
  id: Type.String(),
  provider: Type.String(),
  type: Type.String(),
  status: Type.Enum(["received", "done", "ignored", "failed", "parked"]),
  purchaseId: Type.Union([Type.String(), Type.Null()]),
  attempts: Type.Integer(),
  error: Type.Union([Type.String(), Type.Null()]),
  firstSeenAt: Instant,
  updatedAt: Instant,
});

const VOUCHERS_MAX = 1000;
const FutureTime = Type.String({ format: "date-time", description: "After this the code is worth nothing." });

export const CreateVouchersBody = Type.Object({
  ...AmountFields,
  count: Type.Optional(Type.Integer({ minimum: 1, maximum: VOUCHERS_MAX, description: "1 unless told." })),
  expiresAt: nullable(FutureTime),
  expires_at: nullable(FutureTime),
  note: nullable(Type.String({ maxLength: 200 })),
});

export const RedeemBody = Type.Object({
  code: Type.String({ minLength: 1, maxLength: 100 }),
  organizationId: Type.Optional(OrganizationId),
  organization_id: Type.Optional(OrganizationId),
});

export const VoucherRecord = Type.Object({
  id: Type.String(),
  last4: Type.String(),
  amount: Type.Integer(),
  amountUsd: Type.String(),
  note: Type.Union([Type.String(), Type.Null()]),
  status: Type.Enum(["active", "redeemed", "revoked", "expired"]),
  expiresAt: Type.Union([Instant, Type.Null()]),
  createdAt: Instant,
  redeemedAt: Type.Union([Instant, Type.Null()]),
  redeemedBy: Type.Union([Type.Integer(), Type.Null()]),
  organizationId: Type.Union([Type.String(), Type.Null()]),
});
export type VoucherRecord = Static<typeof VoucherRecord>;

export const FreshVouchers = Type.Object({
  data: Type.Array(Type.Object({ ...VoucherRecord.properties, code: Type.String() })),
});

const Percents = Type.Array(Type.Integer({ minimum: 1, maximum: 100 }), { maxItems: 10 });
const Threshold = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });

export const AlertsBody = Type.Object({
  thresholds: Type.Optional(
    Type.Array(Threshold, {
      maxItems: 10,
      description: "In nano-USD; an empty list switches them off, and they stay as they are where this is left out.",
    }),
  ),
  budgetPercents: Type.Optional({
    ...Percents,
    description: "Shares of budgets, in percent; they stay as they are where this is left out.",
  }),
  budget_percents: Type.Optional(Percents),
});

export const AlertsRecord = Type.Object({
  organizationId: Type.String(),
  budgetPercents: Type.Array(Type.Integer()),
  thresholds: Type.Array(
    Type.Object({
      threshold: Type.Integer(),
      thresholdUsd: Type.String(),
      firedAt: Type.Union([Instant, Type.Null()]),
    }),
  ),
});
export type AlertsRecord = Static<typeof AlertsRecord>;

export const AutoTopUpBody = Type.Object({
  enabled: Type.Boolean(),
  threshold: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: "In nano-USD." }),
  amount: Nano,
  monthlyCap: nullable(Nano),
  monthly_cap: nullable(Nano),
});

export const AutoTopUpRecord = Type.Object({
  organizationId: Type.String(),
  enabled: Type.Boolean(),
  threshold: Type.Integer(),
  amount: Type.Integer(),
  monthlyCap: Type.Union([Type.Integer(), Type.Null()]),
  declines: Type.Integer(),
  retryAt: Type.Union([Instant, Type.Null()]),
  paymentMethod: Type.Union([Type.Object({ id: Type.String(), label: Type.String() }), Type.Null()]),
});
export type AutoTopUpRecord = Static<typeof AutoTopUpRecord>;

export const SetupAnswer = Type.Object({ setupUrl: Type.String() });

const EndpointUrl = Type.String({ minLength: 1, maxLength: 2000, description: "An `https:` or `http:` address." });
const EventNames = Type.Array(Type.Enum(NOTICE_TYPES), {
  maxItems: 50,
  description: "Types of events; an empty list means all.",
});
const Description = Type.Union([Type.String({ maxLength: 200, pattern: "^[^\\u0000-\\u001f]*$" }), Type.Null()]);

export const CreateEndpointBody = Type.Object({
  url: EndpointUrl,
  events: Type.Optional(EventNames),
  description: Type.Optional(Description),
});

export const UpdateEndpointBody = Type.Object({
  url: Type.Optional(EndpointUrl),
  events: Type.Optional(EventNames),
  description: Type.Optional(Description),
  status: Type.Optional(Type.Enum(["active", "disabled"])),
});

export const EndpointRecord = Type.Object({
  id: Type.String(),
  organizationId: Type.String(),
  url: Type.String(),
  description: Description,
  events: Type.Array(Type.String()),
  status: Type.Enum(["active", "disabled"]),
  createdAt: Instant,
  updatedAt: Instant,
});
export type EndpointRecord = Static<typeof EndpointRecord>;

export const FreshEndpointRecord = Type.Object({ ...EndpointRecord.properties, secret: Type.String() });
export type FreshEndpointRecord = Static<typeof FreshEndpointRecord>;

export const DeliveryRecord = Type.Object({
  id: Type.String(),
  eventId: Type.String(),
  type: Type.String(),
  status: Type.Enum(["pending", "delivered", "failed"]),
  attempts: Type.Integer(),
  responseStatus: Type.Union([Type.Integer(), Type.Null()]),
  error: Type.Union([Type.String(), Type.Null()]),
  nextAttemptAt: Type.Union([Instant, Type.Null()], {
    description: "When it is tried next; null where it is not: it was delivered, or was given up.",
  }),
  payload: Type.Object({}, { additionalProperties: true }),
  createdAt: Instant,
  updatedAt: Instant,
});
export type DeliveryRecord = Static<typeof DeliveryRecord>;
