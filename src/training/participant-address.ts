/** An address as it is kept. */
export const addressOf = (url: string): string => new URL(url).href.replace(/\/+$/, "");

/** An address as it is compared: however it was written, one participant answers at it. */
export function placeOf(url: string): string {
  const { protocol, hostname, port, pathname } = new URL(addressOf(url));
  const host = hostname.replace(/\.$/, "").replace(/^\[::ffff:([0-9a-f]+):([0-9a-f]+)\]$/, (_, high, low) => {
    const words = [high, low].map((word: string) => Number.parseInt(word, 16));
    return words.flatMap((word) => [word >> 8, word & 0xff]).join(".");
  });
  return `${protocol}//${host}:${port}${unescapedPath(pathname).replace(/\/+$/, "")}`;
}

/** Letters, digits and some signs mean the same, escaped or not. */
const unescapedPath = (path: string): string =>
  path.replace(/%([0-9a-f]{2})/gi, (escaped, code: string) => {
    const sign = String.fromCharCode(Number.parseInt(code, 16));
    return /[\w.~-]/.test(sign) ? sign : escaped.toUpperCase();
  });

/** The first two that have one address, by name; under two names somebody would count twice. */
export function findSameAddress(
  participants: ReadonlyArray<{ readonly name: string; readonly url: string }>,
): readonly [string, string] | null {
  const names = new Map<string, string>();
  for (const { name, url } of participants) {
    const place = placeOf(url);
    const other = names.get(place);
    if (other !== undefined) return [other, name];
    names.set(place, name);
  }
  return null;
}
