const LENGTH_MAX = 300;

/**
 * The beginning of a reason, without what screens and databases do not bear. It may hold what a participant has said, or names of
 * tensors that it has made up, and goes into reports, logs and databases.
 */
export const inOneLine = (text: string): string =>
  text
    .slice(0, LENGTH_MAX)
    .replace(/\p{C}+/gu, " ")
    .toWellFormed();
