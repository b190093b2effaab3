import { LineBuffer } from "../../src/ledger/journal/line.ts";

/** One record as it stands in a file. */
export function lineOf(json: string): Buffer {
  const lines = new LineBuffer();
  lines.begin().add(json).finish();
  return Buffer.from(lines.between(0, lines.end));
}
