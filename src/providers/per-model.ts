import { BoundedMap } from "../lib/bounded-map.ts";

/** More than anybody serves; names may come from callers. */
const MODELS_MAX = 1_000;

/** What a model's name tells, worked out when it is first asked for. */
export function perModel<T>(workOut: (model: string) => T): (model: string) => T {
  const known = new BoundedMap<string, T>(MODELS_MAX);
  return (model) => {
    const found = known.get(model);
    if (found !== undefined) return found;
    const made = workOut(model);
    known.set(model, made);
    return made;
  };
}
