import type { Static } from "typebox";
import { GatewayError } from "../../contract/errors.ts";
import type { ModelReference } from "../../contract/stored-models.ts";

/** The id that a body gives in either spelling. */
export function namedModel({ id, model_id }: Static<typeof ModelReference>): string {
  requireSameId(id, model_id, "model_id");
  const named = id ?? model_id;
  if (named) return named;
  const msg = "Field required";
  throw new GatewayError("validation", msg, { faults: [{ loc: ["body", "id"], msg, type: "missing" }] });
}

type Id = string | null | undefined;

/** Of two ids that differ one would be passed over, and another model changed than was meant. */
export function requireSameId(one: Id, other: Id, param: string): void {
  if (one == null || other == null || one === other) return;
  throw new GatewayError("invalid_request", `${param}: another id names another model; a model keeps its own.`, {
    param,
  });
}
