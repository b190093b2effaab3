import { isRecord } from "../../lib/json.ts";

/** OpenRouter's clients may leave `model` out where they send `models`: the first is asked, the others stand in for it. */
export function firstOfModels(body: unknown): void {
  if (!isRecord(body) || (body.model !== undefined && body.model !== null) || !Array.isArray(body.models)) return;
  const [first] = body.models;
  if (typeof first === "string" && first !== "") body.model = first;
}
