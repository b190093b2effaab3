import type { ResponseAnswer } from "../contract/responses.ts";
import { isHeld, LEASE_MS } from "../lib/leased-task-runner.ts";
import type { BackgroundResponse, Moved } from "./background-store.ts";
import { eventText } from "./response-event.ts";

type LeaseHolder = { readonly owner: string; readonly now: number };

/** Asking a second time could be paid for twice. */
const ABANDONED = {
  code: "server_error",
  message:
    "The process that carried the response out ended before it was whole. It may have been paid for, so it was not asked for again.",
};

export const isUnfinished = ({ status }: Pick<ResponseAnswer, "status">): boolean =>
  status === "queued" || status === "in_progress";

/** Taken up by a process: what waits begins, what another left in the middle has failed. Null where somebody has it. */
export function claim(work: BackgroundResponse, answer: ResponseAnswer, { owner, now }: LeaseHolder): Moved | null {
  const isOurs = work.leaseOwner === owner;
  if (work.status === "ended" || (isHeld(work, now) && !isOurs)) return null;
  if (work.status === "queued") {
    const begun = { ...work, status: "in_progress", leaseOwner: owner, leaseUntil: now + LEASE_MS } as const;
    return { work: begun, answer: { ...answer, status: "in_progress" }, events: "" };
  }
  if (isHeld(work, now)) return null;
  const failed: ResponseAnswer = { ...answer, status: "failed", error: ABANDONED };
  const isStreamed = work.told > 0;
  return ended(work, failed, isStreamed ? eventText("response.failed", work.told, { response: failed }) : "", now);
}

/** Cancelled at once, whoever carries it out: they lose it, and write nothing more. Null at its end. */
export const cancel = (work: BackgroundResponse, answer: ResponseAnswer, now: number): Moved | null =>
  work.status === "ended" ? null : ended(work, { ...answer, status: "cancelled" }, "", now);

/** What it came to, with the last events. Null where it is not ours any more. */
export const finish = (
  work: BackgroundResponse,
  { owner, now }: LeaseHolder,
  answer: ResponseAnswer,
  events: string,
): Moved | null => (work.leaseOwner === owner ? ended(work, answer, events, now) : null);

const ended = (work: BackgroundResponse, answer: ResponseAnswer, events: string, now: number): Moved => ({
  work: { ...work, status: "ended", leaseOwner: null, leaseUntil: null, endedAt: now, asked: "" },
  answer,
  events,
});
