import type { ResponseItem } from "../contract/responses.ts";

export type NamedItem = ResponseItem & { readonly id: string };

const PREFIXES: Readonly<Record<string, string>> = {
  function_call: "fc",
  function_call_output: "fco",
  custom_tool_call: "ctc",
  custom_tool_call_output: "cto",
  reasoning: "rs",
};

/** Each has an id of its own, by which the list of them is read on. `make` gives one to those that brought none, or a taken one. */
export function nameItems(items: readonly ResponseItem[], make: (prefix: string, at: number) => string): NamedItem[] {
  const taken = new Set<unknown>();
  return items.map((item, at) => {
    const type = item.type ?? "message";
    const isOwn = typeof item.id === "string" && item.id !== "" && !taken.has(item.id);
    const id = isOwn ? String(item.id) : make(PREFIXES[type] ?? "msg", at);
    taken.add(id);
    return { ...item, type, id };
  });
}

/** The same, of none that was brought: what several calls bring may be called the same. */
export const nameAnew = (items: readonly ResponseItem[], make: (prefix: string, at: number) => string): NamedItem[] =>
  nameItems(
    items.map(({ id: _, ...item }) => item),
    make,
  );
