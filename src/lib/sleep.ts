/** Waits, unless the signal ends it sooner; then its reason is thrown. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const stop = () => {
    clearTimeout(timer);
    reject(signal?.reason);
  };
  signal?.addEventListener("abort", stop, { once: true });
  try {
    await promise;
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}
