import type { Comparison, Filter } from "../../contract/files/vector-stores.ts";
import type { Attributes } from "../records.ts";

/** Whether the attributes of a file are what a search asks for. */
export function fits(filter: Filter, attributes: Attributes): boolean {
  if (filter.type === "and") return filter.filters.every((one) => fits(one, attributes));
  if (filter.type === "or") return filter.filters.some((one) => fits(one, attributes));
  return compares(filter as Comparison, attributes);
}

function compares({ type, key, value }: Comparison, attributes: Attributes): boolean {
  const found = Object.hasOwn(attributes, key) ? attributes[key] : undefined;
  if (type === "in" || type === "nin") {
    const listed = Array.isArray(value) && value.some((one) => one === found);
    return listed === (type === "in");
  }
  if (type === "eq") return found === value;
  if (type === "ne") return found !== value;
  if (found === undefined || typeof found !== typeof value || typeof found === "boolean") return false;
  const order = found < (value as typeof found) ? -1 : found > (value as typeof found) ? 1 : 0;
  return { gt: order > 0, gte: order >= 0, lt: order < 0, lte: order <= 0 }[type];
}
