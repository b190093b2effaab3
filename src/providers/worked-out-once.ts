import { BoundedMap } from "../lib/bounded-map.ts";
import type { Target } from "./dialect.ts";

/** More than anybody serves; names may come from callers. */
const MODELS_MAX = 1_000;

/** What a model's name tells, worked out when it is first asked for. */
export const perModel = <T>(workOut: (model: string) => T): ((model: string) => T) =>
  once(new BoundedMap<string, T>(MODELS_MAX), workOut);

/** What is the same for every call to a target, worked out when it is first asked for. */
export const perTarget = <T>(workOut: (target: Target) => T): ((target: Target) => T) =>
  once(new WeakMap<Target, T>(), workOut);

interface Known<Key, T> {
  get(key: Key): T | undefined;
  set(key: Key, made: T): unknown;
}

function once<Key, T>(known: Known<Key, T>, workOut: (key: Key) => T): (key: Key) => T {
  return (key) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    const made = workOut(key);
    known.set(key, made);
    return made;
  };
}
