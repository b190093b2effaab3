import { recordIn } from "../../lib/json.ts";
import type { CallAccounting } from "./call-accounting.ts";
import { lastObject } from "./transcript-notes.ts";

/** The last event tells what was used, and has no sound in it. */
const KEPT_BYTES = 16 * 1024;

/** Reads what speech has used out of its events. */
export class SpeechNotes {
  private end = Buffer.alloc(0);

  constructor(private readonly accounting: Pick<CallAccounting, "report">) {}

  bytes(chunk: Uint8Array): void {
    const kept = Buffer.concat([this.end, chunk.subarray(-KEPT_BYTES)]);
    this.end = kept.subarray(-KEPT_BYTES);
  }

  whole(): void {
    const last = lastObject(this.end.toString("utf8"));
    const done = last === null ? null : recordIn(last);
    if (done) this.accounting.report(done.usage);
  }
}
