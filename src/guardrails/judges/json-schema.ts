import Schema from "typebox/schema";
import type { Judge } from "../guard.ts";

/** The answer has to be JSON that fits the operator's schema, with or without a fence of Markdown around it. */
export const jsonSchema = (schema: Readonly<Record<string, unknown>>): Judge => ({
  windowChars: null,
  contentOnly: true,
  judge: (texts) =>
    texts.flatMap((text, index) => {
      const category = faultOf(schema, text);
      return category === null ? [] : [{ category, index, start: null, end: null }];
    }),
});

const MISFIT = "does not fit the schema";

function faultOf(schema: Readonly<Record<string, unknown>>, text: string): string | null {
  let value: unknown;
  try {
    value = JSON.parse(withoutFence(text));
  } catch {
    return "not JSON";
  }
  try {
    return Schema.Check(schema, value) ? null : MISFIT;
  } catch {
    // References that go round in a circle deep within: nobody can say that it fits.
    return MISFIT;
  }
}

const FENCE = "```";

/** By hand: an expression for it takes time that grows with the cube of the line ends that a model writes. */
function withoutFence(text: string): string {
  const whole = text.trim();
  const firstEnd = whole.indexOf("\n");
  const opening = whole.slice(0, Math.max(0, firstEnd)).trimEnd();
  if ((opening !== FENCE && opening !== `${FENCE}json`) || !whole.endsWith(FENCE)) return text;
  return whole.slice(firstEnd, -FENCE.length);
}
