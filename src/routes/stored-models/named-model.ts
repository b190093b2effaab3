import type { Static } from "typebox";
import { GatewayError } from "../../contract/errors.ts";
import type { ModelReference } from "../../contract/stored-models.ts";

/** The id that a body gives in either spelling. */
export function namedModel({ id, model_id }: Static<typeof ModelReference>): string {
  const named = id ?? model_id;
  if (named) return named;
  const msg = "Field required";
  throw new GatewayError("validation", msg, { faults: [{ loc: ["body", "id"], msg, type: "missing" }] });
}
