import type { Selectable } from "kysely";
import type { CallAttempt, CostPart } from "../../contract/usage.ts";
import type { LoggedCall } from "../../usage/store.ts";
import { decodeObject, decodeStrings } from "../accounts/json-columns.ts";
import type { Tables } from "../tables.ts";

export function toLoggedCall(row: Selectable<Tables["usageLog"]>): LoggedCall {
  return {
    ...row,
    costParts: (JSON.parse(row.costParts) as StoredPart[]).map(toPart),
    attempts: JSON.parse(row.attempts) as CallAttempt[],
    tags: decodeStrings(row.tags),
    metadata: decodeObject(row.metadata),
  };
}

/** JSON has no 64-bit integers: they are text there. */
interface StoredPart {
  readonly component: string;
  readonly thousandths: string;
  readonly femtoUsd: string;
  readonly nanoUsd: string;
}

const toPart = ({ component, thousandths, femtoUsd, nanoUsd }: StoredPart): CostPart => ({
  component,
  thousandths: BigInt(thousandths),
  femtoUsd: BigInt(femtoUsd),
  nanoUsd: BigInt(nanoUsd),
});
