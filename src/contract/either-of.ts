import { GatewayError } from "./errors.ts";

/** One field of a body in either spelling; bodies with two that differ are refused as they are read. Null is a value: it empties the field. */
export const eitherOf = <T>(camel: T | undefined, snake: T | undefined): T | undefined =>
  camel === undefined ? snake : camel;

/** The same where it must be there; a schema cannot say so of two spellings. */
export function requiredOf<T>(name: string, camel: T | undefined, snake: T | undefined): T {
  const value = eitherOf(camel, snake);
  if (value !== undefined) return value;
  const msg = "Field required";
  throw new GatewayError("validation", msg, { faults: [{ loc: ["body", name], msg, type: "missing" }] });
}
