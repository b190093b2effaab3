import { GatewayError } from "../contract/errors.ts";
import { redact } from "../lib/log.ts";
import { choiceHeaders } from "./answer-headers.ts";
import type { Choice } from "./choose.ts";
import type { GatewayDeps, InferenceCall } from "./deps.ts";
import type { StreamFacts } from "./stream-body.ts";

/** An error that happens after the choice also says which deployment it was, and never with what key. */
export async function tellWhere(choice: Choice, work: () => Promise<Response>): Promise<Response> {
  try {
    return await work();
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown;
    throw new GatewayError(thrown.kind, withoutKeys(thrown.message, choice), {
      cause: thrown.cause,
      faults: thrown.faults,
      headers: { ...choiceHeaders(choice), ...thrown.headers },
      ...(thrown.param === null ? {} : { param: thrown.param }),
    });
  }
}

/** An upstream may quote the key that it refuses; its words are the caller's to read, the key is not. */
export function withoutKeys(text: string, { target }: Choice): string {
  const plain =
    target.apiKey !== null && target.apiKey.length > 3 ? text.replaceAll(target.apiKey, "[redacted]") : text;
  return redact(plain);
}

export const streamFacts = (deps: GatewayDeps, call: InferenceCall, choice: Choice): StreamFacts => ({
  callId: call.callId,
  log: deps.log,
  clean: (text) => withoutKeys(text, choice),
});
