import { findTopLevelBytes } from "../../lib/json-scan.ts";
import { parseAnswer } from "../attempts/read-response.ts";
import { withoutPrices } from "../metering/upstream-prices.ts";

export interface LongAnswer {
  readonly body: ReadableStream<Uint8Array>;
  readonly usage: unknown;
}

/**
 * Puts the caller's model name into an answer of megabytes, which is neither made a text of nor copied: it goes on in pieces,
 * and others are served in between. Null where its values are not where answers have them.
 */
export function relayLong(bytes: Buffer, model: string): LongAnswer | null {
  const named = findTopLevelBytes(bytes, "model");
  if (!named) return null;
  const usage = findTopLevelBytes(bytes, "usage");
  const told = usage ? parseAnswer(bytes.toString("utf8", usage.start, usage.end)) : null;
  const shown = withoutPrices(told);
  const changes = [{ ...named, value: model as unknown }];
  if (usage && shown !== told) changes.push({ ...usage, value: shown });
  changes.sort((a, b) => a.start - b.start);
  const pieces: Buffer[] = [];
  let at = 0;
  for (const { start, end, value } of changes) {
    pieces.push(...cut(bytes.subarray(at, start)), Buffer.from(JSON.stringify(value)));
    at = end;
  }
  pieces.push(...cut(bytes.subarray(at)));
  return { usage: told, body: inTurns(pieces) };
}

/** So much is handed to the system before others have a turn: 3 MB at once took it as long as ten other calls. */
const PIECE_BYTES = 256 * 1024;

function cut(bytes: Buffer): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) pieces.push(bytes.subarray(at, at + PIECE_BYTES));
  return pieces;
}

function inTurns(pieces: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  let next = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (next > 0) await new Promise<void>((resolve) => setImmediate(resolve));
      const piece = pieces[next++];
      if (piece) controller.enqueue(piece);
      else controller.close();
    },
  });
}
