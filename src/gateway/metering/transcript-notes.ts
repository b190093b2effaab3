import { isRecord, recordIn } from "../../lib/json.ts";
import { eventsOf } from "../../lib/sse.ts";
import type { CallAccounting } from "./call-accounting.ts";
import { isLength } from "./reported-usage.ts";

/** A transcript is shorter; of a longer one the end matters, where the usage stands. */
const KEPT_BYTES_MAX = 1024 * 1024;

/** The end of the last line of subtitles: `00:01:02,500` or `01:02.500` behind the arrow. */
const SUBTITLE_END = /-->\s*(?:(\d{1,3}):)?(\d{1,2}):(\d{1,2})[.,](\d{3})/g;

/** Reads what a transcription used out of its answer, whichever format that has. */
export class TranscriptNotes {
  private readonly chunks: Uint8Array[] = [];
  private length = 0;

  constructor(private readonly accounting: Pick<CallAccounting, "report" | "count" | "delivered" | "keep">) {}

  bytes(chunk: Uint8Array): void {
    this.chunks.push(chunk);
    this.length += chunk.length;
    while (this.length > KEPT_BYTES_MAX && this.chunks.length > 1) this.length -= this.chunks.shift()?.length ?? 0;
  }

  whole(): void {
    const text = Buffer.concat(this.chunks).toString("utf8");
    const answer = parseLast(text);
    this.accounting.keep(JSON.stringify(answer ?? text));
    if (!answer) {
      this.accounting.delivered.add(text);
      const end = [...text.matchAll(SUBTITLE_END)].at(-1);
      const soundMs = end ? toMs(end) : 0;
      if (end && isLength(soundMs / 1000)) this.accounting.count({ soundMs });
      return;
    }
    const { usage, duration } = answer;
    if (typeof answer.text === "string") this.accounting.delivered.add(answer.text);
    // The older models tell how long they have listened, in a place of their own.
    this.accounting.report(isRecord(usage) ? usage : { seconds: Number(duration ?? 0) }, answer);
  }
}

/** The answer as JSON; of a stream of events, the last one. */
function parseLast(text: string): Record<string, unknown> | null {
  const last = text.trimStart().startsWith("{") ? text : lastObject(text);
  return last === null ? null : recordIn(last);
}

/** The last event of a stream that holds an object; null where none does. */
export const lastObject = (events: string): string | null =>
  eventsOf(events).findLast(({ data }) => data.startsWith("{"))?.data ?? null;

const toMs = ([, hours = "0", minutes = "0", seconds = "0", thousandths = "0"]: RegExpMatchArray): number =>
  ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 + Number(thousandths);
