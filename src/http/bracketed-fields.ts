import { GatewayError } from "../contract/errors.ts";

/** A value of a form, with where it belongs in the field: `["tags", ""]` for `metadata[tags][]`. */
export interface Bracketed {
  readonly steps: readonly string[];
  readonly value: string;
}

/** What such values make together: a list of texts, or an object. One that could be read in two ways is refused. */
export function joinBracketed(field: string, parts: readonly Bracketed[]): unknown {
  const [first] = parts;
  if (parts.length === 1 && first?.steps.length === 0) return first.value;
  const isList = parts.every(({ steps }) => steps.length === 1 && steps[0] === "");
  if (isList) return parts.map(({ value }) => value);
  if (parts.some(({ steps }) => steps.length === 0 || steps[0] === "")) throw ambiguous(field);
  const groups = Map.groupBy(parts, ({ steps }) => steps[0] ?? "");
  const inner = ({ steps, value }: Bracketed): Bracketed => ({ steps: steps.slice(1), value });
  return Object.fromEntries(Array.from(groups, ([name, group]) => [name, joinBracketed(field, group.map(inner))]));
}

const SHOWN_CHARS_MAX = 60;

function ambiguous(field: string): GatewayError {
  const shown = field.slice(0, SHOWN_CHARS_MAX);
  const fault = { loc: ["body", shown], msg: "Send it once, as JSON", type: "form_field" };
  return new GatewayError("validation", `${shown}: ${fault.msg}.`, { faults: [fault] });
}
