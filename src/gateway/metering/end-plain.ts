import type { Fields } from "../deps.ts";
import type { MeteredCall } from "./metered-call.ts";

/** Ends a call whose whole answer is at hand. The answer is read again only where the upstream did not count. */
export async function endPlain(meter: MeteredCall, body: string, usage: unknown, told: Fields): Promise<void> {
  meter.report(usage, told);
  if (!meter.isCounted) meter.delivered.addAnswer(JSON.parse(body));
  meter.keep(body);
  meter.begin();
  await meter.succeed();
}
