import { parseAnswer } from "../attempts/read-response.ts";
import type { Fields } from "../call/gateway.ts";
import { release } from "../guardrails/release.ts";
import type { CallAccounting } from "./call-accounting.ts";

/**
 * Ends a call whose whole answer is at hand; `meter.shown` is then what the caller gets. The answer is read again only where
 * the upstream did not count, or where guardrails look at it.
 */
export function completeJson(accounting: CallAccounting, body: string, usage: unknown, told: Fields): Promise<void> {
  note(accounting, body, usage, told);
  if (accounting.guard !== null) return endGuarded(accounting, body);
  accounting.shown = body;
  return accounting.succeed();
}

async function endGuarded(accounting: CallAccounting, body: string): Promise<void> {
  accounting.shown = await release(accounting, (guard) => guard.plain(body), body);
  await accounting.succeed();
}

/** Ends a call whose answer is passed on as bytes, because nobody here wants to read it. */
export function completeLarge(accounting: CallAccounting, usage: unknown): Promise<void> {
  accounting.report(usage);
  accounting.begin();
  return accounting.succeed();
}

/** Ends a call whose whole answer is at hand and does not please: the upstream has done its work, and wants to be paid. */
export async function rejectJson(
  accounting: CallAccounting,
  body: string,
  usage: unknown,
  told: Fields,
  refusal: unknown,
): Promise<void> {
  note(accounting, body, usage, told);
  await accounting.fail(refusal);
}

function note(accounting: CallAccounting, body: string, usage: unknown, told: Fields): void {
  accounting.report(usage, told);
  if (!accounting.isCounted) accounting.delivered.addAnswer(parseAnswer(body));
  accounting.keep(body);
  accounting.begin();
}
