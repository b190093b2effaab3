/**
 * For an error that is kept and only ever compared. The runtime works the trace of a kept error out at its next collection, and
 * reads the map of the program's image for it, which takes 5 MB.
 */
export function tracelessError(message: string): Error {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return new Error(message);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
