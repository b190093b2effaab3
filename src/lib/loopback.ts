/** An address on one's own machine, without TLS. A text from outside may be no address at all: that is not this machine. */
export function isPlainLoopback(address: string): boolean {
  const { protocol = "", hostname = "" } = URL.parse(address) ?? {};
  return protocol === "http:" && (hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname));
}
