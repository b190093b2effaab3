const KEPT_CHARS_MAX = 256 * 1024;

/** JSON that is too long becomes the beginning of it, as a JSON text. */
export const truncateJson = (json: string): string =>
  json.length <= KEPT_CHARS_MAX ? json : JSON.stringify(json.slice(0, KEPT_CHARS_MAX));
