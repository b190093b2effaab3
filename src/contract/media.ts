import Type, { type Static } from "typebox";
import { CACHE_FIELDS } from "./cache.ts";
import { nullable } from "./schema.ts";

const Model = Type.String({ minLength: 1, maxLength: 512 });
const AnyObject = Type.Object({}, { additionalProperties: true });

export const ModerationRequest = Type.Object(
  {
    input: Type.Union([Type.String(), Type.Array(Type.String()), Type.Array(AnyObject)]),
    model: nullable(Model),
    user: nullable(Type.String()),
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
    user: nullable(Type.String()),
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
    stream: nullable(Type.Boolean()),
    user: nullable(Type.String()),
    caching: nullable(Type.Boolean()),
    ...CACHE_FIELDS,
  },
  { additionalProperties: true },
);
export type ImageRequest = Static<typeof ImageRequest>;

/** The fields of a form beside its pictures. */
export const ImageEditFields = Type.Object(
  {
    model: Type.Optional(Model),
    prompt: Type.String({ minLength: 1 }),
    n: Type.Optional(Type.Integer({ minimum: 1, maximum: 10 })),
    size: Type.Optional(Type.String({ pattern: "^(auto|[0-9]{1,5}x[0-9]{1,5})$" })),
    quality: Type.Optional(Type.Enum(["auto", "low", "medium", "high", "xhigh", "max", "standard", "hd"])),
    background: Type.Optional(Type.Enum(["auto", "transparent", "opaque"])),
    input_fidelity: Type.Optional(Type.Enum(["high", "low"])),
    output_format: Type.Optional(Type.Enum(["png", "jpeg", "webp", "gif"])),
    output_compression: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })),
    partial_images: Type.Optional(Type.Integer({ minimum: 0, maximum: 3 })),
    response_format: Type.Optional(Type.Enum(["url", "b64_json"])),
    stream: Type.Optional(Type.Boolean()),
    user: Type.Optional(Type.String()),
  },
  { additionalProperties: true },
);

const TRANSCRIPT_FORMATS = ["json", "text", "srt", "verbose_json", "vtt"] as const;

/** The fields of a form beside its sound. */
export const TranscriptionFields = Type.Object(
  {
    model: Type.Optional(Model),
    language: Type.Optional(Type.String()),
    prompt: Type.Optional(Type.String()),
    response_format: Type.Optional(Type.Enum([...TRANSCRIPT_FORMATS, "diarized_json"])),
    "timestamp_granularities[]": Type.Optional(Type.Array(Type.Enum(["word", "segment"]))),
    temperature: Type.Optional(Type.Number()),
    stream: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: true },
);

/** The same of one that is to be in English. */
export const TranslationFields = Type.Object(
  {
    model: Type.Optional(Model),
    prompt: Type.Optional(Type.String()),
    response_format: Type.Optional(Type.Enum([...TRANSCRIPT_FORMATS])),
    temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  },
  { additionalProperties: true },
);

/** A file in a form. */
export const Binary = Type.String({ format: "binary" });
