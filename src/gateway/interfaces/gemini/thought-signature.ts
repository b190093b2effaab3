import { isRecord, parseJson } from "../../../lib/json.ts";
import type { Fields } from "../../call/gateway.ts";
import { recordsIn } from "../shared/read-chunk.ts";

/**
 * In Google's form the seal of what was thought stands on what it led to, as bytes in base64. What others have sealed goes
 * there too, behind a mark of ours: nine bytes, so that the mark itself is twelve whole characters.
 */
const MARK = "turnpike:";
const MARKED = Buffer.from(MARK).toString("base64");

/** What Anthropic and OpenAI want back before the calls that it led to. */
export interface Sealed {
  readonly blocks: readonly Fields[];
  readonly items: readonly Fields[];
}

/** Null where there is nothing. */
export function sealThoughts({ blocks, items }: Sealed): string | null {
  if (blocks.length === 0 && items.length === 0) return null;
  return Buffer.from(MARK + JSON.stringify({ blocks, items })).toString("base64");
}

/** Null for a signature that is Google's own. Clients may write base64 in the letters of addresses. */
export function readSealed(signature: string): Sealed | null {
  if (!signature.startsWith(MARKED)) return null;
  try {
    const read = parseJson(Buffer.from(signature, "base64").toString().slice(MARK.length));
    return isRecord(read) ? { blocks: recordsIn(read.blocks), items: recordsIn(read.items) } : NOTHING;
  } catch {
    // Written by nobody of ours: it seals nothing.
    return NOTHING;
  }
}

const NOTHING: Sealed = { blocks: [], items: [] };
