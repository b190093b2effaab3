import type { SentForm } from "../../providers/dialect.ts";
import { exchange } from "../attempts/upstream-request.ts";
import type { Fields, GatewayDeps, InferenceCall } from "../call/gateway.ts";
import { NO_SOUND } from "../metering/prompt-size.ts";
import { runInference } from "../pipeline/run-inference.ts";
import { toFormFields } from "./form-fields.ts";
import { forwardResponse, notServed, refuseStream } from "./forward.ts";

/** The story of an edit: pictures and what is to become of them stream to the upstream, and new ones come back, all at once. */
export async function editImages(
  deps: GatewayDeps,
  call: InferenceCall,
  form: SentForm,
  fields: Fields,
): Promise<Response> {
  refuseStream(fields);
  const work: Parameters<typeof runInference>[4] = async (target, accounting) => {
    const dialect = target.provider.image_edit;
    if (!dialect) throw notServed(target.provider, "image_edit");
    const sentForm = { fields: toFormFields(form.fields, target.fields), files: form.files };
    const sent = await exchange(deps, call, target, dialect.encode(sentForm, target.endpoint), false);
    return forwardResponse(deps, call, target, accounting, sent, "image_edit");
  };
  return runInference(deps, call, "image_edit", fields, work, { sound: NO_SOUND, pictures: form.files.length });
}
