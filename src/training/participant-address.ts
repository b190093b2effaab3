/** An address as it is compared: however it was written, one participant answers at it. */
export const addressOf = (url: string): string => new URL(url).href.replace(/\/+$/, "");

/** The first two that have one address, by name; under two names somebody would count twice. */
export function findSameAddress(
  participants: ReadonlyArray<{ readonly name: string; readonly url: string }>,
): readonly [string, string] | null {
  const names = new Map<string, string>();
  for (const { name, url } of participants) {
    const address = addressOf(url);
    const other = names.get(address);
    if (other !== undefined) return [other, name];
    names.set(address, name);
  }
  return null;
}
