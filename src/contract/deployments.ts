import Type, { type Static } from "typebox";
import { nullable } from "./schema.ts";

/** What operators see and set about deployments while they run. */
export const DEPLOYMENT_STATES = ["well", "off", "resting", "probing", "unwell", "spent"] as const;

const Time = Type.Union([Type.String(), Type.Null()]);
const Milliseconds = Type.Union([Type.Number(), Type.Null()]);

const UpstreamBudgetView = Type.Object({
  of: Type.Enum(["provider", "deployment"], { description: "Of its provider, or its own." }),
  limit: Type.Integer({ description: "In nano-USD, of what the provider charges." }),
  limitUsd: Type.String(),
  spent: Type.Integer({ description: "In the present window, as far as the process that answers knows." }),
  spentUsd: Type.String(),
  period: Type.String({ description: "As configured, such as `1d`." }),
  resetsAt: Type.String(),
});
export type UpstreamBudgetView = Static<typeof UpstreamBudgetView>;

export const DeploymentView = Type.Object({
  id: Type.String(),
  group: Type.String({ description: "The name that callers use." }),
  provider: Type.String(),
  model: Type.String({ description: "Its name at the provider." }),
  apiBase: Type.Union([Type.String(), Type.Null()], {
    description: "Where it is called, without secrets; null: at its provider's own address.",
  }),
  region: Type.Union([Type.String(), Type.Null()], { description: "Its `region_name`." }),
  strategy: Type.String({ description: "How one of its group is chosen." }),
  state: Type.Enum([...DEPLOYMENT_STATES], {
    description:
      "`resting` after failures or by hand, `probing` while one call shows whether it is well again, `unwell` where the last " +
      "background check failed, `spent` while a budget of it or of its provider has nothing left: it gets no calls then.",
  }),
  lacks: Type.Union([Type.String(), Type.Null()], {
    description:
      "What has to be set before it can be called, such as its provider's key; null where nothing is missing.",
  }),
  enabled: Type.Boolean(),
  weight: Type.Union([Type.Number(), Type.Null()], { description: "As set at run time; null: as configured." }),
  share: Type.Number({ description: "Its part of the calls beside those of its group." }),
  order: Type.Union([Type.Number(), Type.Null()]),
  inFlight: Type.Integer(),
  streamFirstByteMs: {
    ...Milliseconds,
    description: "A moving average of the answers that began; null where none did.",
  },
  plainFirstByteMs: Milliseconds,
  calls: Type.Integer({
    description: "Since the start of the server that answers; those of a worker that ended are not among them.",
  }),
  failures: Type.Integer(),
  failuresInARow: Type.Integer(),
  restsUntil: Time,
  spentUntil: { ...Time, description: "When it gets calls again, where a budget is spent." },
  budgets: Type.Array(UpstreamBudgetView),
  checkedAt: Time,
  checkOk: Type.Union([Type.Boolean(), Type.Null()]),
});
export type DeploymentView = Static<typeof DeploymentView>;

const WEIGHT_MAX = 1_000_000;

export const UpdateDeploymentBody = Type.Object(
  {
    enabled: Type.Optional(Type.Boolean({ description: "False: it gets no calls." })),
    weight: nullable(
      Type.Number({ minimum: 0, maximum: WEIGHT_MAX, description: "In place of the configured one; null: that one." }),
    ),
  },
  { minProperties: 1, additionalProperties: false },
);

const REST_SECONDS_MAX = 86_400;

export const DeploymentCooldownBody = Type.Object(
  {
    action: Type.Enum(["start", "clear"]),
    seconds: Type.Optional(
      Type.Integer({ minimum: 1, maximum: REST_SECONDS_MAX, description: "How long it rests; 60 unless told." }),
    ),
  },
  { additionalProperties: false },
);
