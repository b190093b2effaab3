import type { GatewayError } from "../../../contract/errors.ts";
import { tooLarge } from "../../../http/bodies/read-body.ts";

/** Told how a body ends. */
export interface BodyListener {
  /** All of it has been sent on. */
  whole(): void;
  /** It is larger than it may be. */
  refuse(refusal: GatewayError): void;
}

/** One that says so itself is refused before anything is set aside for it. */
export function refuseLarge({ headers }: Request, bytesMax: number): void {
  if (Number(headers.get("content-length") ?? 0) > bytesMax) throw tooLarge(bytesMax);
}

/** A body as it comes in, read only as fast as it is sent on. Null where there is none. */
export function countedBody(request: Request, bytesMax: number, ears: BodyListener): ReadableStream<Uint8Array> | null {
  const reader = (request.body as ReadableStream<Uint8Array> | null)?.getReader();
  if (!reader || request.method === "GET" || request.method === "HEAD") {
    ears.whole();
    return null;
  }
  let length = 0;
  let isWanted = true;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        // Whoever waits for more when nobody wants it any more is told that there is none.
        if (!isWanted) return;
        if (done || !value) {
          ears.whole();
          return controller.close();
        }
        length += value.length;
        if (length <= bytesMax) return controller.enqueue(value);
        const refusal = tooLarge(bytesMax);
        ears.refuse(refusal);
        controller.error(refusal);
      },
      cancel(reason) {
        isWanted = false;
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
