const BRACKETED = /^([^[\]]+)((?:\[[^[\]]*\])+)$/;

/** A name as official clients write lists and objects into forms; null for any other one. */
export function readBrackets(name: string): { readonly field: string; readonly steps: readonly string[] } | null {
  const [, field, steps] = BRACKETED.exec(name) ?? [];
  return field === undefined || steps === undefined ? null : { field, steps: steps.slice(1, -1).split("][") };
}

/** What a field of a form is called whose value comes in parts: `include` for `include[]`. */
export const plainName = (name: string): string => readBrackets(name)?.field ?? name;
