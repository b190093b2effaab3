/** What was given does not go with the run, or with a run at all; the message is for who gave it. */
export class RunError extends Error {
  override readonly name = "RunError";
}
