import Type from "typebox";
import type { GatewayDeps } from "../../gateway/deps.ts";
import { transcribe } from "../../gateway/transcriptions.ts";
import { route } from "../../http/route.ts";
import { callOf } from "./call-of.ts";
import { INFERENCE_ERRORS } from "./inference-errors.ts";
import { modelName } from "./model-name.ts";

const Form = Type.Object({
  file: Type.String({ format: "binary" }),
  model: Type.String(),
  language: Type.Optional(Type.String()),
  prompt: Type.Optional(Type.String()),
  response_format: Type.Optional(Type.Enum(["json", "text", "srt", "verbose_json", "vtt"])),
  "timestamp_granularities[]": Type.Optional(Type.Array(Type.Enum(["word", "segment"]))),
  temperature: Type.Optional(Type.Number()),
});

const FILE_BYTES_MAX = 1024 ** 3;

export const transcriptions = (deps: GatewayDeps) =>
  route({
    method: "POST",
    paths: ["/v1/audio/transcriptions", "/audio/transcriptions"],
    tag: "Inference",
    summary: "Write down what is said",
    auth: "key",
    form: { schema: Form, file: "file", fileBytesMax: FILE_BYTES_MAX },
    success: "application/json",
    errors: INFERENCE_ERRORS,
    handle(context) {
      const named = context.form.fields.find(([name]) => name === "model")?.[1];
      return transcribe(deps, callOf(context, modelName(named)), context.form);
    },
  });
