import { isRecord } from "../../lib/json.ts";
import { type Change, type MapPart, mapFields, mapJsonValue, mapList } from "../../lib/json-texts.ts";

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/** What names something: a kind, a tool, fields, a definition elsewhere. */
const NAMES = words(
  "type name id required format syntax propertyOrdering $ref $id $schema $anchor $dynamicRef $dynamicAnchor",
);
/** Parts that are definitions themselves, or lists of them. */
const DEFINITIONS = words(
  `function custom parameters input_schema json_schema schema format grammar items prefixItems contains anyOf oneOf allOf not if then
   else additionalProperties unevaluatedProperties additionalItems unevaluatedItems propertyNames contentSchema`,
);
/** Parts that have definitions under names. */
const NAMED = words("properties patternProperties $defs definitions dependentSchemas");
/** Values such as the model would write them, numbers among them. Elsewhere a number is a bound. */
const VALUES = words("input_examples examples example default const enum");

/** A definition of a tool or of an answer: all its texts but names are for the model, also in fields that are not known here. */
export function mapDefinition(value: unknown, change: Change): unknown {
  if (Array.isArray(value)) return mapList(value, mapDefinition, change);
  return isRecord(value) ? mapFields(value, mapField, change) : mapText(value, change);
}

const mapField: MapPart = (part, change, name) => {
  // A mark of what to cache is for the provider.
  if (name === "cache_control" || (NAMES.has(name) && isName(part))) return part;
  if (DEFINITIONS.has(name)) return mapDefinition(part, change);
  if (NAMED.has(name) && isRecord(part)) return mapFields(part, mapDefinition, change);
  return VALUES.has(name) ? mapJsonValue(part, change) : mapText(part, change);
};

const isName = (part: unknown): boolean =>
  typeof part === "string" || (Array.isArray(part) && part.every((one) => typeof one === "string"));

function mapText(value: unknown, change: Change): unknown {
  if (typeof value === "string") return value === "" ? value : change(value);
  if (Array.isArray(value)) return mapList(value, mapText, change);
  return isRecord(value) ? mapFields(value, mapText, change) : value;
}
