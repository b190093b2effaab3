import { decodeUtf8, isRecord, parseJson } from "../lib/json.ts";
import type { BatchFault } from "./records.ts";

export interface BatchLine {
  readonly customId: string;
  readonly body: Readonly<Record<string, unknown>>;
}

type Fault = Omit<BatchFault, "line">;

const CUSTOM_ID_CHARS_MAX = 512;

/** A line of a batch's file as a call, or what is wrong with it. */
export function parseLine(bytes: Uint8Array, endpoint: string): BatchLine | Fault {
  const line = objectIn(bytes);
  if (line === null) {
    return { code: "invalid_json_line", message: "This line is not parseable as a JSON object.", param: null };
  }
  const { custom_id, method, url, body } = line;
  if (typeof custom_id !== "string" || custom_id === "" || custom_id.length > CUSTOM_ID_CHARS_MAX) {
    return missing("custom_id", `a text of 1 to ${CUSTOM_ID_CHARS_MAX} characters`);
  }
  if (method !== "POST") return { code: "invalid_method", message: "`method` has to be POST.", param: "method" };
  if (url !== endpoint) {
    return { code: "invalid_url", message: `\`url\` has to be ${endpoint}, as the batch has it.`, param: "url" };
  }
  if (!isRecord(body)) return missing("body", "an object");
  return { customId: custom_id, body };
}

const missing = (param: string, what: string): Fault => ({
  code: "missing_required_parameter",
  message: `\`${param}\` is missing, or not ${what}.`,
  param,
});

function objectIn(bytes: Uint8Array): Record<string, unknown> | null {
  try {
    // Editors put a byte order mark before the first line.
    const parsed = parseJson(decodeUtf8(bytes).replace(/^\ufeff/, ""));
    return isRecord(parsed) ? parsed : null;
  } catch {
    return null;
  }
}
