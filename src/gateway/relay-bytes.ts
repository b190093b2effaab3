import { GatewayError } from "../contract/errors.ts";
import { release } from "./guarding/release.ts";
import type { MeteredCall } from "./metering/metered-call.ts";
import { CALLER_LEFT } from "./metering/outcome.ts";
import type { UpstreamReader } from "./upstream-reader.ts";

/**
 * Bytes that leave as they arrive, once those that look beside the call have let them. The first are awaited before the answer begins: a failure up to then is a plain one. One that breaks off
 * ends the connection: half of it must not look whole. The end leaves only once the call is in the books; `whole` is called just before.
 */
export async function relayBytes(
  reader: UpstreamReader,
  meter: Pick<MeteredCall, "guard" | "begin" | "succeed" | "fail" | "refuse">,
  notice: { bytes?(chunk: Uint8Array): void; whole?(): void } = {},
): Promise<ReadableStream<Uint8Array>> {
  let first: Uint8Array | null;
  try {
    await release(meter, (guard) => guard.beside(), undefined);
    first = await reader.read();
    if (first === null) throw new GatewayError("upstream", "The provider's answer is empty.");
  } catch (thrown) {
    reader.close();
    throw thrown;
  }
  meter.begin();
  const send = async (
    controller: ReadableStreamDefaultController<Uint8Array>,
    chunk: Uint8Array | null,
  ): Promise<void> => {
    if (chunk !== null) {
      notice.bytes?.(chunk);
      return controller.enqueue(chunk);
    }
    notice.whole?.();
    await meter.succeed();
    reader.close();
    controller.close();
  };
  return new ReadableStream<Uint8Array>({
    start: (controller) => send(controller, first),
    async pull(controller) {
      try {
        await send(controller, await reader.read());
      } catch (thrown) {
        await meter.fail(thrown);
        reader.close();
        controller.error(thrown);
      }
    },
    cancel() {
      const ended = meter.fail(CALLER_LEFT);
      reader.close();
      return ended;
    },
  });
}
