/** A share of one as people read it: `12.5%`. */
export const formatPercent = (share: number, digits = 1): string =>
  share.toLocaleString(undefined, { style: "percent", maximumFractionDigits: digits });
