/**
 * Ends a stream as a broken connection would. One turn of the event loop goes first: a server that sees the failure in the
 * same turn throws away the bytes before it, and the reader would see no answer at all.
 */
export async function breakOff(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve));
  controller.error(new Error("The answer was cut, as echo_fault asked."));
}
