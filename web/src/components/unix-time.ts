/** Whole seconds, as the gateway's records have them, as the pages show times. */
export const isoOf = (seconds: number | null): string | null =>
  seconds === null ? null : new Date(seconds * 1000).toISOString();
