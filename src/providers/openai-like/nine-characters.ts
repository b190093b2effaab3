const FITS = /^[a-zA-Z0-9]{9}$/;

/**
 * Mistral takes ids of tool calls only if they have nine letters and digits. Ids of other models, which a
 * conversation may bring along, become such ids; the same id always the same one, so that calls and results meet.
 */
export const nineCharacters = (id: string): string =>
  FITS.test(id) ? id : Bun.hash.xxHash64(id).toString(36).padStart(9, "0").slice(-9);
