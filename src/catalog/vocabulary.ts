import type { Deployment } from "../contract/deployment.ts";
import { baseModel } from "./model-facts.ts";
import type { Vocabulary } from "./tokenizer.ts";

/** OpenAI's models by the vocabulary that their tokens are of. Whatever else is called so has another's, and is not guessed. */
const BY_NAME: readonly (readonly [RegExp, Vocabulary])[] = [
  [/^(?:(?:chat)?gpt-4o|gpt-4\.[15]|gpt-5(?:\.\d+)?|gpt-oss)(?:[-:]|$)/, "o200k_base"],
  [/^o[134](?:-(?:mini|preview|pro|deep-research|\d{4}-\d\d-\d\d))*$/, "o200k_base"],
  [/^gpt-(?:4|3\.?5)(?:-(?:turbo|instruct|16k|32k|preview|vision|\d{4}(?:-\d\d-\d\d)?))*$/, "cl100k_base"],
  [/^(?:text-embedding-(?:3-small|3-large|ada-002)|(?:davinci|babbage)-002)$/, "cl100k_base"],
  [/^(?:text-davinci-00[23]|code-(?:davinci|cushman)-00[12])$/, "p50k_base"],
  [/^(?:text-(?:ada|babbage|curie|davinci)-001|ada|babbage|curie|davinci)$/, "r50k_base"],
];

/** Null where it is not known. */
export function vocabularyOf(deployment: Deployment): Vocabulary | null {
  const { model } = baseModel(deployment);
  const name = model.slice(model.lastIndexOf("/") + 1).toLowerCase();
  // `ft:gpt-3.5-turbo:organization::id` is one that was trained further.
  const own = name.startsWith("ft:") ? (name.split(":")[1] ?? "") : name;
  return BY_NAME.find(([names]) => names.test(own))?.[1] ?? null;
}
