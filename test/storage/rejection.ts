/**
 * The error that `work` ends with. Used instead of `expect(...).rejects`, which waits without returning to the event
 * loop: after an answer of a worker in the same test, the worker's next answer would never be delivered.
 */
export async function rejection(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (error) {
    return error;
  }
  throw new Error("expected a rejection");
}
