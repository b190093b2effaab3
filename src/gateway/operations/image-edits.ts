import type { SentForm } from "../../providers/dialect.ts";
import { exchange } from "../attempts/upstream-request.ts";
import type { Fields, GatewayDeps, InferenceCall } from "../call/gateway.ts";
import { NO_SOUND } from "../metering/prompt-size.ts";
import { metered } from "../pipeline/run-inference.ts";
import { sentFields } from "./form-fields.ts";
import { notServed, passBack, refuseStream } from "./forward.ts";

/** The story of an edit: pictures and what is to become of them stream to the upstream, and new ones come back, all at once. */
export async function editImages(
  deps: GatewayDeps,
  call: InferenceCall,
  form: SentForm,
  fields: Fields,
): Promise<Response> {
  refuseStream(fields);
  const work: Parameters<typeof metered>[4] = async (choice, meter) => {
    const dialect = choice.provider.image_edit;
    if (!dialect) throw notServed(choice.provider, "image_edit");
    const sentForm = { fields: sentFields(form.fields, choice.fields), files: form.files };
    const sent = await exchange(deps, call, choice, dialect.encode(sentForm, choice.target), false);
    return passBack(deps, call, choice, meter, sent, "image_edit");
  };
  return metered(deps, call, "image_edit", fields, work, { sound: NO_SOUND, pictures: form.files.length });
}
