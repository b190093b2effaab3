/** "85 ms", "1.2 s"; a dash where nothing was measured. */
export const formatMs = (ms: number | null): string =>
  ms === null ? "–" : ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
