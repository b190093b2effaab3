import { isRecord } from "../../lib/json.ts";
import { type Change, type MapPart, mapFields, mapJsonValue, mapList } from "../../lib/json-texts.ts";
import { camelName } from "../interfaces/gemini/field-names.ts";

/** Kinds of parts with what names something in them, says where it lies, or is bytes. Of other kinds nothing is known. */
const KINDS: ReadonlyMap<string, MapPart> = new Map([
  ["functionCall", allBut("id name")],
  ["functionResponse", allBut("id name")],
  ["toolCall", allBut("id toolType")],
  ["toolResponse", allBut("id toolType")],
  ["executableCode", allBut("id language")],
  ["codeExecutionResult", allBut("id outcome")],
  ["inlineData", allBut("data mimeType")],
  ["fileData", allBut("fileUri mimeType")],
]);

/**
 * A part in Google's own form. What a function is given and gives back is read in full, whatever its fields are called;
 * the seal of what was thought is not touched, or it would not fit.
 */
export const mapGooglePart: MapPart = (part, change) =>
  isRecord(part) ? mapFields(part, mapHeld, change) : mapJsonValue(part, change);

function mapHeld(held: unknown, change: Change, name: string): unknown {
  const kind = camelName(name);
  if (kind === "thoughtSignature") return held;
  const mapKind = KINDS.get(kind);
  return mapKind && isRecord(held) ? mapFields(held, mapKind, change) : mapJsonValue(held, change);
}

function allBut(names: string): MapPart {
  const kept = new Set(names.split(" "));
  return (value, change, name) => {
    if (typeof value === "string" && kept.has(camelName(name))) return value;
    // What a function shows beside its result.
    if (name === "parts" && Array.isArray(value)) return mapList(value, mapGooglePart, change);
    return mapJsonValue(value, change);
  };
}
