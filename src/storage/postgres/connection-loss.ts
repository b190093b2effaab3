/** SQLSTATE classes and codes after which the same call may succeed later: nothing is wrong with the statement. */
const OUTAGE_CLASSES: ReadonlySet<string> = new Set([
  "08", // connection
  "53", // out of disk, memory or connections
  "57", // shutting down, starting up, cancelled by a timeout
  "58", // input and output
]);
const OUTAGE_CODES: ReadonlySet<string> = new Set([
  "25006", // a standby after a fail-over
  "25P03", // idle in a transaction for too long
  "40001", // serialization
  "40P01", // deadlock
  "55P03", // lock not available
]);
const SOCKET_CODES: ReadonlySet<string> = new Set([
  "EAI_AGAIN",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOENT",
  "ENOTFOUND",
  "EPIPE",
  "ETIMEDOUT",
]);
/** pg gives these no code. */
const SOCKET_MESSAGES: ReadonlySet<string> = new Set([
  "Client has encountered a connection error and is not queryable",
  "Client was closed and is not queryable",
  "Connection terminated",
  "Connection terminated unexpectedly",
  "Query read timeout",
  "timeout exceeded when trying to connect",
]);

/**
 * The connection is of no further use: it broke, an answer is still outstanding on it, or it leads to a server that has become
 * a standby. The next one may lead to the server that took over; this one would stay, because it is in use all the time.
 */
export function isConnectionLoss(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = codeOf(error);
  return SOCKET_CODES.has(code) || SOCKET_MESSAGES.has(error.message) || /^(08|57P|25006|25P03)/.test(code);
}

export function isPostgresOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = codeOf(error);
  if (isConnectionLoss(error) || OUTAGE_CODES.has(code)) return true;
  return /^[0-9A-Z]{5}$/.test(code) && OUTAGE_CLASSES.has(code.slice(0, 2));
}

function codeOf(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : "";
}
