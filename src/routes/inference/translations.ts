import Type from "typebox";
import { GatewayError } from "../../contract/errors.ts";
import { Binary, TranslationFields } from "../../contract/media.ts";
import type { GatewayDeps } from "../../gateway/call/gateway.ts";
import { transcribe } from "../../gateway/operations/transcriptions.ts";
import type { FormFile, FormSpec } from "../../http/form.ts";
import { compileForm } from "../../http/form-fields.ts";
import { type Route, route } from "../../http/route.ts";
import { callOf } from "./call-of.ts";
import { INFERENCE_ERRORS } from "./inference-errors.ts";
import { modelName } from "./model-name.ts";

const { model, ...others } = TranslationFields.properties;
const Form = Type.Object({ file: Binary, model: Type.String(), ...others });
/** The path names the model. */
const PathForm = Type.Object({ file: Binary, model, ...others });

const FILE_BYTES_MAX = 1024 ** 3;

const formOf = (schema: FormSpec["schema"]): FormSpec => ({ schema, file: "file", fileBytesMax: FILE_BYTES_MAX });

const shared = {
  method: "POST",
  tag: "Inference",
  summary: "Write down in English what is said",
  auth: "key",
  success: "application/json",
  errors: INFERENCE_ERRORS,
} as const;

const readFields = compileForm(TranslationFields);

export const translations = (deps: GatewayDeps): Route[] => [
  route({
    ...shared,
    paths: ["/v1/audio/translations", "/audio/translations"],
    form: formOf(Form),
    handle(context) {
      const { form } = context;
      const fields = readFields(form.fields);
      requireSound(form.file);
      return transcribe(deps, callOf(context, modelName(fields.model)), "translation", form, fields);
    },
  }),
  route({
    ...shared,
    paths: ["/openai/deployments/{model...}/audio/translations"],
    params: Type.Object({ model: Type.String() }),
    form: formOf(PathForm),
    handle(context) {
      const { form, params } = context;
      const fields = readFields(form.fields);
      requireSound(form.file);
      return transcribe(deps, callOf(context, params.model), "translation", form, fields);
    },
  }),
];

const SOUND_TYPE = /^(audio|video)\//i;
const SOUND_NAME = /\.(flac|mp3|mp4|mpeg|mpga|m4a|ogg|oga|opus|wav|webm|aac)$/i;

/** Providers go by the name or the type of a file, and say little where neither tells what it is. */
function requireSound({ name, type }: FormFile): void {
  if (SOUND_TYPE.test(type) || SOUND_NAME.test(name)) return;
  throw new GatewayError(
    "invalid_request",
    "The file is not known to be a sound: send flac, mp3, mp4, mpeg, mpga, m4a, ogg, wav or webm, and a file name that ends so or a type such as `audio/wav`.",
    { param: "file" },
  );
}
