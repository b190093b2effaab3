import { parse } from "yaml";
import { decodeUtf8 } from "./json.ts";

/** YAML of a file. What is not UTF-8 would be read with other letters than it was written with. */
export function parseYaml(bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = decodeUtf8(bytes);
  } catch {
    throw new Error("it is not text in UTF-8");
  }
  return parse(text);
}
