import { GatewayError } from "../contract/errors.ts";
import { choiceHeaders } from "./answer-headers.ts";
import type { Choice } from "./choose.ts";

/** An error that happens after the choice also says which deployment it was. */
export async function tellWhere(choice: Choice, work: () => Promise<Response>): Promise<Response> {
  try {
    return await work();
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown;
    throw new GatewayError(thrown.kind, thrown.message, {
      cause: thrown.cause,
      faults: thrown.faults,
      headers: { ...choiceHeaders(choice), ...thrown.headers },
      ...(thrown.param === null ? {} : { param: thrown.param }),
    });
  }
}
