import { parseAnswer } from "../attempts/read-response.ts";
import type { Fields } from "../call/gateway.ts";
import { release } from "../guardrails/release.ts";
import type { MeteredCall } from "./call-accounting.ts";

/**
 * Ends a call whose whole answer is at hand; `meter.shown` is then what the caller gets. The answer is read again only where
 * the upstream did not count, or where guardrails look at it.
 */
export function endPlain(meter: MeteredCall, body: string, usage: unknown, told: Fields): Promise<void> {
  note(meter, body, usage, told);
  if (meter.guard !== null) return endGuarded(meter, body);
  meter.shown = body;
  return meter.succeed();
}

async function endGuarded(meter: MeteredCall, body: string): Promise<void> {
  meter.shown = await release(meter, (guard) => guard.plain(body), body);
  await meter.succeed();
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
  if (!meter.isCounted) meter.delivered.addAnswer(parseAnswer(body));
  meter.keep(body);
  meter.begin();
}
