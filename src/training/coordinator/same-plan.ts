import { isRecord } from "../../lib/json.ts";

/**
 * Returns the part of a plan that decides the models, as text. Addresses, the form of requests and deadlines may change
 * while a run is paused: it has often paused because of them.
 */
export function essenceOf(plan: unknown): string {
  if (!isRecord(plan)) return JSON.stringify(plan);
  const { deadlineMs: _, retries: __, wire: ___, participants, ...rest } = plan;
  const who = Array.isArray(participants)
    ? participants.map(({ url: _, tokenEnv: __, ...one }: Record<string, unknown>) => one)
    : participants;
  return JSON.stringify({ ...rest, participants: who });
}
