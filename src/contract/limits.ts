import Type, { type Static } from "typebox";
import { eitherOf } from "./either-of.ts";
import { nullable } from "./schema.ts";
import { Instant } from "./users.ts";

/** Limits as the platform's API has them, in both spellings; null empties a field. Amounts are in nano-USD. */
const Amount = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: "In nano-USD." });
const Window = Type.Enum(["hour", "day", "week", "month", "total"]);
const Rate = Type.Integer({ minimum: 1, maximum: 1_000_000_000 });
const ModelName = Type.String({ minLength: 1, maxLength: 512, pattern: "^[^\\u0000-\\u001f\\u007f]+$" });
const ModelRates = Type.Record(
  ModelName,
  Type.Object({ rpm: Type.Optional(Rate), tpm: Type.Optional(Rate) }, { additionalProperties: false }),
  {
    maxProperties: 200,
    description:
      "Requests and tokens a minute of single models; a pattern such as `*` is of each model without an entry of its own. Replaces all that was there.",
  },
);

export const MEMBER_LIMITS = {
  budget: nullable(Amount),
  budgetWindow: nullable(Window),
  budget_window: nullable(Window),
  rpmLimit: nullable(Rate),
  rpm_limit: nullable(Rate),
  tpmLimit: nullable(Rate),
  tpm_limit: nullable(Rate),
};

export const LIMITS = {
  ...MEMBER_LIMITS,
  softBudget: nullable({ ...Amount, description: "In nano-USD; passing it is told, and refuses nothing." }),
  soft_budget: nullable(Amount),
  parallelLimit: nullable(Rate),
  parallel_limit: nullable(Rate),
};
export const MODEL_LIMITS = { modelLimits: nullable(ModelRates), model_limits: nullable(ModelRates) };
export const Aliases = Type.Record(ModelName, ModelName, { maxProperties: 200 });

const MemberLimitsBody = Type.Object(MEMBER_LIMITS);
const LimitsBody = Type.Object(LIMITS);

/** The limits of a body, whichever spelling it has. */
export const memberLimitsOf = (body: Static<typeof MemberLimitsBody>) => ({
  budget: body.budget,
  budgetWindow: eitherOf(body.budgetWindow, body.budget_window),
  rpmLimit: eitherOf(body.rpmLimit, body.rpm_limit),
  tpmLimit: eitherOf(body.tpmLimit, body.tpm_limit),
});

export const limitsOf = (body: Static<typeof LimitsBody>) => ({
  ...memberLimitsOf(body),
  softBudget: eitherOf(body.softBudget, body.soft_budget),
  parallelLimit: eitherOf(body.parallelLimit, body.parallel_limit),
});

const Count = Type.Union([Type.Integer(), Type.Null()]);

export const MEMBER_LIMITS_VIEW = {
  budget: Type.Union([Type.Object({ limit: Type.Integer(), window: Window }), Type.Null()]),
  rpmLimit: Count,
  tpmLimit: Count,
};
/** With what was spent of it in the present window, and when the next begins. */
export const SpentBudget = Type.Union([
  Type.Object({
    limit: Type.Integer(),
    window: Window,
    spent: Type.Integer({ description: "In the present window." }),
    resetAt: Type.Union([Instant, Type.Null()]),
  }),
  Type.Null(),
]);
export const LIMITS_VIEW = { ...MEMBER_LIMITS_VIEW, softBudget: Count, parallelLimit: Count };

interface MemberLimits {
  readonly budget: bigint | null;
  readonly budgetWindow: Static<typeof Window> | null;
  readonly rpmLimit: number | null;
  readonly tpmLimit: number | null;
}

export const memberLimitsView = ({ budget, budgetWindow, rpmLimit, tpmLimit }: MemberLimits) => ({
  budget: budget === null ? null : { limit: Number(budget), window: budgetWindow ?? ("total" as const) },
  rpmLimit,
  tpmLimit,
});

export const limitsView = (
  limits: MemberLimits & { readonly softBudget: bigint | null; readonly parallelLimit: number | null },
) => ({
  ...memberLimitsView(limits),
  softBudget: limits.softBudget === null ? null : Number(limits.softBudget),
  parallelLimit: limits.parallelLimit,
});
