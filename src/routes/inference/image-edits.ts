import Type from "typebox";
import { findGroupOfMode } from "../../catalog/group-of-mode.ts";
import { GatewayError } from "../../contract/errors.ts";
import { Binary, ImageEditFields } from "../../contract/media.ts";
import type { GatewayDeps } from "../../gateway/call/gateway.ts";
import { editImages } from "../../gateway/operations/image-edits.ts";
import type { FormFile, FormSpec, MultipartForm } from "../../http/form.ts";
import { compileForm } from "../../http/form-fields.ts";
import { type Route, route } from "../../http/route.ts";
import { loadPictureType } from "../../lib/picture-type.ts";
import { callOf } from "./call-of.ts";
import { INFERENCE_ERRORS } from "./inference-errors.ts";
import { modelName } from "./model-name.ts";

const IMAGES_MAX = 16;
const MEBIBYTE = 1024 * 1024;
const IMAGE_BYTES_MAX = 50 * MEBIBYTE;
/** What is laid over the first picture, and how large it may be. */
const OVERLAYS = { mask: 4 * MEBIBYTE, markup: IMAGE_BYTES_MAX };

const FORM: FormSpec = {
  schema: Type.Object({
    image: Type.Union([Binary, Type.Array(Binary, { maxItems: IMAGES_MAX })], {
      description: `PNG, JPEG or WebP. Up to ${IMAGES_MAX}, each as a part \`image\` or \`image[]\`.`,
    }),
    mask: Type.Optional(Binary),
    markup: Type.Optional(Binary),
    ...ImageEditFields.properties,
  }),
  file: "image",
  fileBytesMax: IMAGE_BYTES_MAX,
  countMax: IMAGES_MAX,
  others: OVERLAYS,
};

const shared = {
  method: "POST",
  tag: "Inference",
  summary: "Edit images",
  description:
    "Makes new pictures of the given ones. They are answered whole: `stream` and `partial_images` are refused.",
  auth: "key",
  form: FORM,
  success: Type.Object({}, { additionalProperties: true }),
  errors: INFERENCE_ERRORS,
} as const;

const readFields = compileForm(ImageEditFields);

/** Without a model, the first group whose mode is image generation is asked. */
export const imageEdits = (deps: GatewayDeps): Route[] => [
  route({
    ...shared,
    paths: ["/v1/images/edits", "/images/edits"],
    async handle(context) {
      const fields = readFields(context.form.fields);
      const model = modelName(fields.model, findGroupOfMode(deps.catalog().deployments, "image_generation"));
      const files = await picturesOf(context.form);
      return editImages(deps, callOf(context, model), { ...context.form, files }, { ...fields, model });
    },
  }),
  route({
    ...shared,
    paths: ["/openai/deployments/{model...}/images/edits"],
    params: Type.Object({ model: Type.String() }),
    async handle(context) {
      const { model } = context.params;
      const fields = readFields(context.form.fields);
      const files = await picturesOf(context.form);
      return editImages(deps, callOf(context, model), { ...context.form, files }, { ...fields, model });
    },
  }),
];

/** The files as they go on: called what they are, and several pictures by the name that a list has. */
async function picturesOf({ files }: MultipartForm): Promise<FormFile[]> {
  const isOverlay = ({ field }: FormFile) => Object.hasOwn(OVERLAYS, field);
  const isList = files.filter((file) => !isOverlay(file)).length > 1;
  const pictures: FormFile[] = [];
  for (const file of files) {
    const type = await loadPictureType(file.read());
    if (type === null || (isOverlay(file) && type !== "image/png")) throw wrongType(file, isOverlay(file));
    pictures.push({ ...file, type, field: isList && !isOverlay(file) ? "image[]" : file.field });
  }
  return pictures;
}

const wrongType = ({ field, name }: FormFile, isOverlay: boolean): GatewayError => {
  const formats = isOverlay ? "a PNG" : "PNG, JPEG or WebP";
  return new GatewayError("invalid_request", `\`${name.slice(0, 100)}\` is not ${formats}: send ${formats}.`, {
    param: field.replace("[]", ""),
  });
};
