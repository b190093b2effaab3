import { GatewayError } from "../../contract/errors.ts";
import { release } from "../guardrails/release.ts";
import type { CallAccounting } from "../metering/call-accounting.ts";
import { CLIENT_DISCONNECTED } from "../metering/outcome.ts";
import type { UpstreamReader } from "../streaming/upstream-reader.ts";

interface Notice {
  bytes?(chunk: Uint8Array): void;
  whole?(): void;
}

/**
 * Bytes that leave as they arrive, once those that look beside the call have let them. The first are awaited before the answer
 * begins: a failure up to then is a plain one.
 */
export async function relayBytes(
  reader: UpstreamReader,
  accounting: Pick<CallAccounting, "guard" | "begin" | "succeed" | "fail" | "refuse">,
  notice: Notice = {},
): Promise<ReadableStream<Uint8Array>> {
  let first: Uint8Array | null;
  try {
    await release(accounting, (guard) => guard.beside(), undefined);
    first = await reader.read();
    if (first === null) throw new GatewayError("upstream", "The provider's answer is empty.");
  } catch (thrown) {
    reader.close();
    throw thrown;
  }
  accounting.begin();
  return endingWith(accounting, reader, notice, first);
}

/**
 * What a reader has yet to read, as bytes that leave as fast as they are taken, `first` before them. One that breaks off ends the
 * connection: half of it must not look whole. The end leaves only once it is in the books; `whole` is called just before.
 */
export function endingWith(
  accounting: Pick<CallAccounting, "succeed" | "fail">,
  reader: UpstreamReader,
  notice: Notice = {},
  first: Uint8Array | null = null,
): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    start(controller) {
      if (first === null) return;
      notice.bytes?.(first);
      controller.enqueue(first);
    },
    async pull(controller) {
      try {
        const chunk = await reader.read();
        if (chunk !== null) {
          notice.bytes?.(chunk);
          return controller.enqueue(chunk);
        }
        notice.whole?.();
        await accounting.succeed();
        reader.close();
        controller.close();
      } catch (thrown) {
        await accounting.fail(thrown);
        reader.close();
        controller.error(thrown);
      }
    },
    cancel() {
      const ended = accounting.fail(CLIENT_DISCONNECTED);
      reader.close();
      return ended;
    },
  });
}
