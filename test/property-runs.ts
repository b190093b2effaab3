/** `npm run test:nightly` runs properties and repeated matrices in full. */
export const isNightly = process.env.TURNPIKE_NIGHTLY === "1";

/** How often a property runs: the full number nightly, a tenth otherwise. */
export const runs = (full: number): number => (isNightly ? full : Math.max(10, Math.round(full / 10)));
