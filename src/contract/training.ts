import Type, { type Static } from "typebox";
import { PageQuery } from "./paging.ts";
import { nullable } from "./schema.ts";
import { Instant } from "./users.ts";

/** Schemas of trainings as the platform's API has them. Bodies take both spellings of a name. */
export const PARTICIPANT_NAME = "^[A-Za-z0-9][\\w.-]{0,63}$";
const Name = Type.String({
  pattern: PARTICIPANT_NAME,
  description: "What plans call it: letters, digits, `.`, `_` and `-`, 1 to 64 of them, the first a letter or a digit.",
});
const Url = Type.String({ minLength: 1, maxLength: 2000, description: "An `https:` or `http:` address." });
const Token = Type.String({
  minLength: 1,
  maxLength: 4096,
  pattern: "^[\\x21-\\x7e]+$",
  description: "Its bearer token. Kept sealed and never shown again.",
});
const MaxExamples = Type.Integer({
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  description: "It never counts for more examples than this, whatever it says.",
});

export const CreateParticipantBody = Type.Object({
  name: Name,
  url: Url,
  token: nullable(Token),
  maxExamples: nullable(MaxExamples),
  max_examples: nullable(MaxExamples),
});

export const UpdateParticipantBody = Type.Object({
  url: Type.Optional(Url),
  token: nullable({ ...Token, description: "A new bearer token; null: it needs none." }),
  maxExamples: nullable(MaxExamples),
  max_examples: nullable(MaxExamples),
});

const ProbeRecord = Type.Object({
  at: Instant,
  ok: Type.Boolean(),
  detail: Type.String(),
  datasets: Type.Array(Type.String()),
});

export const ParticipantRecord = Type.Object({
  id: Type.String(),
  organizationId: Type.String(),
  name: Type.String(),
  url: Type.String(),
  hasToken: Type.Boolean(),
  maxExamples: Type.Union([Type.Integer(), Type.Null()]),
  probe: Type.Union([ProbeRecord, Type.Null()]),
  createdAt: Instant,
  updatedAt: Instant,
});
export type ParticipantRecord = Static<typeof ParticipantRecord>;

export const RUN_STATUSES = ["queued", "running", "paused", "completed", "cancelled"] as const;

export const CreateRunBody = Type.Object({
  plan: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.String()], {
    description: "The plan as JSON, or as YAML in a text. Its `participants` are names of registered ones.",
  }),
  initialModel: nullable(Type.String({ description: "The model to begin with, in base64." })),
  initial_model: nullable(Type.String()),
});

export const RollbackBody = Type.Object({
  round: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    description: "The last round that stays. 0: the run starts again from its first model.",
  }),
});

export const RunsQuery = Type.Object({
  ...PageQuery.properties,
  status: Type.Optional(Type.Enum(RUN_STATUSES)),
});

export const RunRecord = Type.Object({
  id: Type.String(),
  organizationId: Type.String(),
  name: Type.String(),
  status: Type.Enum(RUN_STATUSES),
  reason: Type.Union([Type.String({ description: "Why it is paused." }), Type.Null()]),
  strategy: Type.String(),
  participants: Type.Array(Type.String()),
  rounds: Type.Integer(),
  roundsDone: Type.Integer(),
  createdAt: Instant,
  updatedAt: Instant,
  startedAt: Type.Union([Instant, Type.Null()]),
  endedAt: Type.Union([Instant, Type.Null()]),
});
export type RunRecord = Static<typeof RunRecord>;

export const RunDetails = Type.Object({
  ...RunRecord.properties,
  plan: Type.Record(Type.String(), Type.Unknown()),
  planYaml: Type.String(),
});
export type RunDetails = Static<typeof RunDetails>;

const Figure = Type.Union([Type.Number(), Type.Null()]);
const Hash = Type.String({ description: "SHA-256, as hexadecimal digits." });

export const RoundView = Type.Object(
  {
    round: Type.Integer(),
    at: Instant,
    strategy: Type.String(),
    modelIn: Type.Union([Hash, Type.Null()]),
    modelOut: Hash,
    replies: Type.Array(
      Type.Object(
        {
          participant: Type.String(),
          sha256: Hash,
          bytes: Type.Integer(),
          numExamples: Type.Union([Type.Number(), Type.Null()], { description: "Null where only the sum was seen." }),
          norm: Figure,
          counted: Type.Boolean(),
          staleness: Type.Optional(Type.Integer({ description: "How many models were made since it began." })),
          arrival: Type.Optional(
            Type.Integer({ description: "Its number among all arrivals of an asynchronous run." }),
          ),
          packed: Type.Optional(Type.String({ description: "How the change was packed: f16, int8 or top_k." })),
        },
        { additionalProperties: true },
      ),
    ),
    dropped: Type.Array(
      Type.Object({
        participant: Type.String(),
        reason: Type.String(),
        phase: Type.Optional(Type.String({ description: "In which phase of a secure round." })),
      }),
    ),
    accuracy: Figure,
    loss: Figure,
    evaluationFailures: Type.Optional(
      Type.Array(Type.Object({ participant: Type.String(), reason: Type.String() }), {
        description: "Who was asked how good the model is and did not say it, and why; absent where all did.",
      }),
    ),
    aggregatedBy: Type.Optional(Type.String({ description: "The participant that aggregated the updates." })),
    cosine: Figure,
    warning: Type.Union([Type.String(), Type.Null()]),
    epsilon: Figure,
    savedBytes: Type.Optional(Type.Integer({ description: "What did not have to be sent, as changes were packed." })),
    secure: Type.Optional(
      Type.Object(
        { attempt: Type.Integer(), threshold: Type.Integer(), asked: Type.Integer(), weight: Type.Number() },
        { description: "Where the updates were masked, and only their sum was seen." },
      ),
    ),
  },
  { additionalProperties: true },
);
export type RoundView = Static<typeof RoundView>;

export const RoundsQuery = Type.Object({
  ...PageQuery.properties,
  order: Type.Optional(Type.Enum(["asc", "desc"], { description: "`desc` unless told: the newest round first." })),
});

export const ModelQuery = Type.Object({
  round: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, description: "The newest unless told." })),
});

export const StrategyRecord = Type.Object({
  name: Type.String(),
  summary: Type.String(),
  robust: Type.Boolean({ description: "It leaves out what is unusual; on data that differ it learns less." }),
  updatesMin: Type.Integer({ description: "The smallest quorum that it works with, at its usual settings." }),
  settings: Type.Array(Type.Object({ name: Type.String(), usual: Type.Number(), description: Type.String() })),
});
export type StrategyRecord = Static<typeof StrategyRecord>;
