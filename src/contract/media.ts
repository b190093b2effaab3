import Type, { type Static } from "typebox";
import { CACHE_FIELDS } from "./cache.ts";
import { nullable } from "./schema.ts";

const Model = Type.String({ minLength: 1, maxLength: 512 });
const AnyObject = Type.Object({}, { additionalProperties: true });

export const ModerationRequest = Type.Object(
  {
    input: Type.Union([Type.String(), Type.Array(Type.String()), Type.Array(AnyObject)]),
    model: nullable(Model),
    caching: nullable(Type.Boolean()),
    ...CACHE_FIELDS,
  },
  { additionalProperties: true },
);
export type ModerationRequest = Static<typeof ModerationRequest>;

export const SpeechRequest = Type.Object(
  {
    model: Model,
    input: Type.String({ minLength: 1 }),
    voice: Type.Union([Type.String(), AnyObject]),
    response_format: nullable(Type.String()),
    speed: nullable(Type.Number()),
    instructions: nullable(Type.String()),
    stream_format: nullable(Type.String()),
  },
  { additionalProperties: true },
);
export type SpeechRequest = Static<typeof SpeechRequest>;

export const ImageRequest = Type.Object(
  {
    model: nullable(Model),
    prompt: Type.String({ minLength: 1 }),
    n: nullable(Type.Integer({ minimum: 1, maximum: 10 })),
    size: nullable(Type.String()),
    quality: nullable(Type.String()),
    style: nullable(Type.String()),
    response_format: nullable(Type.Enum(["url", "b64_json"])),
    user: nullable(Type.String()),
    caching: nullable(Type.Boolean()),
    ...CACHE_FIELDS,
  },
  { additionalProperties: true },
);
export type ImageRequest = Static<typeof ImageRequest>;
