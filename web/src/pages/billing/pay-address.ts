/** The provider's page for a purchase, if it is a web address at all; it came from the provider, not from us. */
export function payAddress(url: string | null): string | null {
  return url !== null && /^https?:\/\//i.test(url) ? url : null;
}
