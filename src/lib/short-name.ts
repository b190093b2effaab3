/** A name that somebody else has made up, for a message: it may be as long as a body can be. */
export const shortName = (name: string, charsMax = 80): string =>
  name.length > charsMax ? `${name.slice(0, charsMax)}…` : name;
