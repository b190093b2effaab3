/** Whether a server is on this machine. */
export const isHere = (url: string): boolean => {
  const { hostname } = new URL(url);
  return hostname === "localhost" || hostname === "[::1]" || hostname.startsWith("127.");
};

/** Whether what is said can be read on its way. */
export const isPlainAbroad = (url: string): boolean => url.startsWith("http:") && !isHere(url);
