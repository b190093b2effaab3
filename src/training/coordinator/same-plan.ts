import { isRecord } from "../../lib/json.ts";

/**
 * What a plan says of the models that come of it, as text. Where participants are and how long they are waited for may change
 * while a run is paused: it has often paused because of that.
 */
export function essenceOf(plan: unknown): string {
  if (!isRecord(plan)) return JSON.stringify(plan);
  const { deadlineMs: _, retries: __, participants, ...rest } = plan;
  const who = Array.isArray(participants)
    ? participants.map(({ url: _, tokenEnv: __, ...one }: Record<string, unknown>) => one)
    : participants;
  return JSON.stringify({ ...rest, participants: who });
}
