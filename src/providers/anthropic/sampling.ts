import type { ModelTraits } from "./model-traits.ts";

type Fields = Readonly<Record<string, unknown>>;

const TOP_P_MIN_WITH_THINKING = 0.95;

/**
 * OpenAI's temperature goes to 2, Anthropic's to 1 and what is above is refused: the highest stands for it. A model that
 * thinks takes no temperature; models that take only one of the two get the temperature, as the commoner wish.
 */
export function addSampling(body: Record<string, unknown>, fields: Fields, traits: ModelTraits, thinks: boolean): void {
  const { temperature, top_p } = fields;
  if (traits.sampling === "none") return;
  if (thinks) {
    if (typeof top_p === "number" && top_p >= TOP_P_MIN_WITH_THINKING) body.top_p = top_p;
    return;
  }
  const isWarm = typeof temperature === "number";
  if (isWarm) body.temperature = Math.min(Math.max(temperature, 0), 1);
  if (typeof top_p === "number" && !(isWarm && traits.sampling === "one")) body.top_p = top_p;
}
