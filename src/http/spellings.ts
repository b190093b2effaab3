import { isDeepStrictEqual } from "node:util";
import type { TSchema } from "typebox";
import { type FieldFault, GatewayError } from "../contract/errors.ts";
import { isRecord } from "../lib/json.ts";

/** `team_id` of `teamId`. */
export const snakeName = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export type Spellings = readonly (readonly [camel: string, snake: string])[];

/** The fields that a schema has in both spellings. */
export function spellingsOf(schema: TSchema): Spellings {
  const { properties = {} } = schema as { readonly properties?: object };
  return Object.keys(properties).flatMap((name) => {
    const snake = snakeName(name);
    return snake !== name && Object.hasOwn(properties, snake) ? [[name, snake] as const] : [];
  });
}

/** Whoever sends both spellings means one value: where they differ, either would be passed over in silence. Null is a value, too. */
export function rejectConflictingFields(place: string, spellings: Spellings, value: unknown): void {
  if (spellings.length === 0 || !isRecord(value)) return;
  const faults = spellings.flatMap(([camel, snake]): FieldFault[] => {
    const [one, other] = [value[camel], value[snake]];
    if (one === undefined || other === undefined || isDeepStrictEqual(one, other)) return [];
    const msg = `Differs from \`${snake}\`, which is the same field; send one of them`;
    return [{ loc: [place, camel], msg, type: "contradiction" }];
  });
  if (faults.length > 0) throw new GatewayError("validation", faults[0]?.msg ?? "", { faults });
}
