import Type from "typebox";
import { Binary, TRANSCRIPT_FORMATS } from "../../contract/media.ts";
import type { GatewayDeps } from "../../gateway/deps.ts";
import { transcribe } from "../../gateway/transcriptions.ts";
import { readPlainForm } from "../../http/form-fields.ts";
import { type Route, route } from "../../http/route.ts";
import { callOf } from "./call-of.ts";
import { INFERENCE_ERRORS } from "./inference-errors.ts";
import { modelName } from "./model-name.ts";

const Form = Type.Object({
  file: Binary,
  model: Type.String(),
  language: Type.Optional(Type.String()),
  prompt: Type.Optional(Type.String()),
  response_format: Type.Optional(Type.Enum([...TRANSCRIPT_FORMATS])),
  "timestamp_granularities[]": Type.Optional(Type.Array(Type.Enum(["word", "segment"]))),
  temperature: Type.Optional(Type.Number()),
});

/** The path names the model. */
const PathForm = Type.Object({ ...Form.properties, model: Type.Optional(Form.properties.model) });

const FILE_BYTES_MAX = 1024 ** 3;

const shared = {
  method: "POST",
  tag: "Inference",
  summary: "Write down what is said",
  auth: "key",
  success: "application/json",
  errors: INFERENCE_ERRORS,
} as const;

export const transcriptions = (deps: GatewayDeps): Route[] => [
  route({
    ...shared,
    paths: ["/v1/audio/transcriptions", "/audio/transcriptions"],
    form: { schema: Form, file: "file", fileBytesMax: FILE_BYTES_MAX },
    handle(context) {
      const named = context.form.fields.find(([name]) => name === "model")?.[1];
      const fields = readPlainForm(context.form.fields);
      return transcribe(deps, callOf(context, modelName(named)), "transcription", context.form, fields);
    },
  }),
  route({
    ...shared,
    paths: ["/openai/deployments/{model...}/audio/transcriptions"],
    params: Type.Object({ model: Type.String() }),
    form: { schema: PathForm, file: "file", fileBytesMax: FILE_BYTES_MAX },
    handle(context) {
      const fields = readPlainForm(context.form.fields);
      return transcribe(deps, callOf(context, context.params.model), "transcription", context.form, fields);
    },
  }),
];
