import Type from "typebox";
import { Binary, TranscriptionFields } from "../../contract/media.ts";
import type { GatewayDeps } from "../../gateway/call/gateway.ts";
import { transcribe } from "../../gateway/operations/transcriptions.ts";
import type { FormSpec } from "../../http/form.ts";
import { compileForm } from "../../http/form-fields.ts";
import { type Route, route } from "../../http/route.ts";
import { callOf } from "./call-of.ts";
import { INFERENCE_ERRORS } from "./inference-errors.ts";
import { modelName } from "./model-name.ts";

const { model, ...others } = TranscriptionFields.properties;
const Form = Type.Object({ file: Binary, model: Type.String(), ...others });
/** The path names the model. */
const PathForm = Type.Object({ file: Binary, model, ...others });

const FILE_BYTES_MAX = 1024 ** 3;

const formOf = (schema: FormSpec["schema"]): FormSpec => ({ schema, file: "file", fileBytesMax: FILE_BYTES_MAX });

const shared = {
  method: "POST",
  tag: "Inference",
  summary: "Write down what is said",
  auth: "key",
  success: "application/json",
  errors: INFERENCE_ERRORS,
} as const;

const readFields = compileForm(TranscriptionFields);

export const transcriptions = (deps: GatewayDeps): Route[] => [
  route({
    ...shared,
    paths: ["/v1/audio/transcriptions", "/audio/transcriptions"],
    form: formOf(Form),
    handle(context) {
      const fields = readFields(context.form.fields);
      return transcribe(deps, callOf(context, modelName(fields.model)), "transcription", context.form, fields);
    },
  }),
  route({
    ...shared,
    paths: ["/openai/deployments/{model...}/audio/transcriptions"],
    params: Type.Object({ model: Type.String() }),
    form: formOf(PathForm),
    handle(context) {
      const fields = readFields(context.form.fields);
      return transcribe(deps, callOf(context, context.params.model), "transcription", context.form, fields);
    },
  }),
];
