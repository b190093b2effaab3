import type { Target } from "./dialect.ts";

/** What is the same for every call to a target, worked out when it is first asked for. */
export function perTarget<T>(workOut: (target: Target) => T): (target: Target) => T {
  const known = new WeakMap<Target, T>();
  return (target) => {
    const found = known.get(target);
    if (found !== undefined) return found;
    const made = workOut(target);
    known.set(target, made);
    return made;
  };
}
