import Type from "typebox";
import { GatewayError } from "../../contract/errors.ts";

export const KeyPath = Type.Object({ id: Type.String({ description: "The id or the handle of the key." }) });

/** A key itself names nothing in a path: paths are written to logs on their way. */
export function referenceOf({ id }: { readonly id: string }): string {
  if (id.startsWith("sk-")) throw new GatewayError("not_found", "There is no such key.");
  return id;
}
