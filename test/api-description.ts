interface Description {
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** A part of the API description as it would be if it referred to nothing. */
export function inFull<T>(part: T, description: Description): T {
  const of = (inner: unknown): unknown => {
    if (Array.isArray(inner)) return inner.map(of);
    if (typeof inner !== "object" || inner === null) return inner;
    if (!("$ref" in inner)) return Object.fromEntries(Object.entries(inner).map(([key, value]) => [key, of(value)]));
    const [, , section = "", name = ""] = String(inner.$ref).split("/");
    const found = description.components[section]?.[name];
    if (found === undefined) throw new Error(`${inner.$ref} is not there`);
    return of(found);
  };
  return of(part) as T;
}
