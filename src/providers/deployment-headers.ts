import { isRecord } from "../lib/json.ts";
import type { Target } from "./dialect.ts";

/** Headers that the operator gives a deployment, as a proxy before the provider may want them. */
export function deploymentHeaders({ params }: Target): Record<string, string> {
  if (!isRecord(params.extra_headers)) return {};
  const texts = Object.entries(params.extra_headers).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  return Object.fromEntries(texts.map(([name, value]) => [name.toLowerCase(), value]));
}
