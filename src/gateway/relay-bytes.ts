import { CALLER_LEFT } from "./metering/metered-call.ts";
import type { StreamMeter } from "./stream-body.ts";
import type { UpstreamReader } from "./upstream-reader.ts";

/**
 * Bytes that leave as they arrive. One that breaks off ends the connection: half of it must not look whole. The end
 * leaves only once the call is in the books; `whole` is called just before.
 */
export const relayBytes = (
  reader: UpstreamReader,
  meter: StreamMeter,
  notice: { bytes?(chunk: Uint8Array): void; whole?(): void } = {},
): ReadableStream<Uint8Array> =>
  new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const chunk = await reader.read();
        meter.begin();
        if (chunk !== null) {
          notice.bytes?.(chunk);
          return controller.enqueue(chunk);
        }
        notice.whole?.();
        await meter.succeed();
        reader.close();
        controller.close();
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
