/** An address on one's own machine, without TLS. A text from outside may be no address at all: that is not this machine. */
export function isPlainLoopback(address: string): boolean {
  const { protocol = "", hostname = "" } = URL.parse(address) ?? {};
  return protocol === "http:" && isLoopbackHost(hostname);
}

/** A host as it stands in an address, or to listen on: nobody reaches it from another machine. */
export const isLoopbackHost = (host: string): boolean => /^(?:localhost|\[?::1\]?|127(?:\.\d+){3})$/.test(host);
