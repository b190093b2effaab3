import { decodeUtf8, isRecord, parseJson } from "../lib/json.ts";
import type { BatchFault } from "./records.ts";

export interface BatchLine {
  readonly customId: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export type LineFault = Omit<BatchFault, "line">;

/** A line as far as it can be read; it can be called where there are no faults. */
interface ParsedLine {
  readonly customId: string | null;
  readonly call: BatchLine | null;
  readonly faults: readonly LineFault[];
}

const CUSTOM_ID_CHARS_MAX = 512;

/** A line of a batch's file as a call, and all that is wrong with it. Nothing is made up for what is missing, as with OpenAI. */
export function parseLine(bytes: Uint8Array, endpoint: string): ParsedLine {
  const line = objectIn(bytes);
  if (line === null) {
    const message = "This line is not parseable as a JSON object.";
    return { customId: null, call: null, faults: [{ code: "invalid_json_line", message, param: null }] };
  }
  const { custom_id, method, url, body } = line;
  const customId = isCustomId(custom_id) ? custom_id : null;
  const call = isRecord(body) ? body : null;
  const faults = [
    customId === null ? missing("custom_id", `, or not a text of 1 to ${CUSTOM_ID_CHARS_MAX} characters.`) : null,
    constant("method", method, "POST", "has to be POST."),
    constant("url", url, endpoint, `has to be ${endpoint}, as the batch has it.`),
    call === null ? missing("body", ", or not an object.") : null,
  ].filter((fault) => fault !== null);
  const isGood = faults.length === 0 && customId !== null && call !== null;
  return { customId, call: isGood ? { customId, body: call } : null, faults };
}

const isCustomId = (value: unknown): value is string =>
  typeof value === "string" && value !== "" && value.length <= CUSTOM_ID_CHARS_MAX;

const missing = (param: string, more: string): LineFault => ({
  code: "missing_required_parameter",
  message: `\`${param}\` is missing${more}`,
  param,
});

/** A field with one value that it may have. */
function constant(param: string, value: unknown, wanted: string, words: string): LineFault | null {
  if (value === wanted) return null;
  if (value === undefined || value === null) return missing(param, `: it ${words}`);
  return { code: `invalid_${param}`, message: `\`${param}\` ${words}`, param };
}

function objectIn(bytes: Uint8Array): Record<string, unknown> | null {
  try {
    // Editors put a byte order mark before the first line.
    const parsed = parseJson(decodeUtf8(bytes).replace(/^\ufeff/, ""));
    return isRecord(parsed) ? parsed : null;
  } catch {
    return null;
  }
}
