import { breakOff } from "./break-off.ts";
import { failureBody } from "./failure.ts";
import type { Fault } from "./fault.ts";
import { malformedResponse } from "./malformed.ts";

/** The answer of a fault that leaves nothing of the real one; undefined where the real one is to be made first. */
export function misbehaveAtOnce(fault: Fault, isStream: boolean): Response | undefined {
  if (fault.malformed !== undefined) return malformedResponse(fault.malformed, fault.status ?? 200, isStream);
  const failsNow = fault.errorAfter === undefined ? fault.status !== undefined : !isStream;
  if (!failsNow) return undefined;
  const headers = fault.retryAfter === undefined ? undefined : { "retry-after": `${fault.retryAfter}` };
  return Response.json(failureBody(fault.error), { status: fault.error.status, ...(headers && { headers }) });
}

/** The first half of a body, then a broken connection. */
export async function cutBody(response: Response): Promise<Response> {
  const whole = new Uint8Array(await response.arrayBuffer());
  let sentHalf = false;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (sentHalf) return breakOff(controller);
        sentHalf = true;
        controller.enqueue(whole.slice(0, Math.ceil(whole.length / 2)));
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { status: response.status, headers: response.headers });
}
