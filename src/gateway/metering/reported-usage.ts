import { SERVICE_TIERS, type ServiceTier } from "../../catalog/price.ts";
import { COUNT_MAX, type MeteredUsage, unitsOf } from "../../catalog/units.ts";
import { makesImages, type Operation } from "../../contract/params.ts";
import type { ChargedUnits } from "../../contract/usage.ts";
import { isRecord } from "../../lib/json.ts";

/** The operations whose answer is tokens: a count of them without the answer's own, or the prompt's, is no count. */
const ANSWERED_IN_TOKENS: ReadonlySet<Operation> = new Set(["chat", "completion"]);

/** What an upstream says that a call has used; null where it says nothing that one could charge by. */
export function readUsage(operation: Operation, usage: unknown): ChargedUnits | null {
  if (!isRecord(usage)) return null;
  const reported = usage as MeteredUsage;
  const output = reported.completion_tokens ?? reported.output_tokens;
  // An embedding's tokens are all of the prompt, and some say only how many there are.
  const whole = operation === "embedding" || operation === "rerank" ? reported.total_tokens : undefined;
  const prompt = reported.prompt_tokens ?? reported.input_tokens ?? whole;
  if (ANSWERED_IN_TOKENS.has(operation) && !(isCount(prompt) && isCount(output))) return null;
  if (!isCount(prompt ?? 0) || !isCount(output ?? 0) || !isLength(reported.seconds ?? 0)) return null;
  const units = unitsOf(prompt === undefined ? reported : { ...reported, prompt_tokens: prompt });
  if (units.promptTokens + units.completionTokens + units.soundMs === 0) return null;
  if (operation === "speech" && units.audioOutputTokens === 0)
    return { ...units, audioOutputTokens: units.completionTokens - units.reasoningTokens };
  return makesImages(operation) ? { ...units, imageOutputTokens: drawnTokens(units, reported) } : units;
}

/** What comes of who draws is pictures, unless it says how much of it is text. */
function drawnTokens(units: ChargedUnits, { output_tokens_details: told }: MeteredUsage): number {
  if (isRecord(told) && isCount(told.image_tokens)) return units.imageOutputTokens ?? 0;
  const text = isRecord(told) && isCount(told.text_tokens) ? Number(told.text_tokens) : 0;
  return Math.max(0, units.completionTokens - units.reasoningTokens - units.audioOutputTokens - text);
}

/** No call uses more: an upstream that says so is not to be believed in anything. */
const isCount = (value: unknown): boolean =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= COUNT_MAX;

/** Of sound, in seconds. */
export const isLength = (value: unknown): boolean =>
  typeof value === "number" && value >= 0 && value * 1000 <= COUNT_MAX;

/** How soon an answer was asked for, or was given; null for a name that no price has. */
export function readTier(value: unknown): ServiceTier | null {
  if (value === "default") return "standard";
  return SERVICE_TIERS.find((tier) => tier === value) ?? null;
}
