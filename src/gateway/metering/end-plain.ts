import type { Fields } from "../deps.ts";
import { release } from "../guarding/release.ts";
import type { MeteredCall } from "./metered-call.ts";

/**
 * Ends a call whose whole answer is at hand, and gives it as the caller gets it. The answer is read again only where the
 * upstream did not count, or where guardrails look at it.
 */
export async function endPlain(meter: MeteredCall, body: string, usage: unknown, told: Fields): Promise<string> {
  note(meter, body, usage, told);
  const shown = meter.guard === null ? body : await release(meter, (guard) => guard.plain(body), body);
  meter.shown = shown;
  await meter.succeed();
  return shown;
}

/** Ends a call whose answer is passed on as bytes, because nobody here wants to read it. */
export function endLong(meter: MeteredCall, usage: unknown): Promise<void> {
  meter.report(usage);
  meter.begin();
  return meter.succeed();
}

/** Ends a call whose whole answer is at hand and does not please: the upstream has done its work, and wants to be paid. */
export async function refusePlain(
  meter: MeteredCall,
  body: string,
  usage: unknown,
  told: Fields,
  refusal: unknown,
): Promise<void> {
  note(meter, body, usage, told);
  await meter.fail(refusal);
}

function note(meter: MeteredCall, body: string, usage: unknown, told: Fields): void {
  meter.report(usage, told);
  if (!meter.isCounted) meter.delivered.addAnswer(JSON.parse(body));
  meter.keep(body);
  meter.begin();
}
