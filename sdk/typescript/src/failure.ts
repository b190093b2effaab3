/** What a caller did wrong, or what went wrong here: a status, a code of the platform's closed list and a finer reason. */
export type Code = "UNAUTHORIZED" | "FORBIDDEN" | "VALIDATION_ERROR" | "NOT_FOUND" | "SERVER_ERROR";

export interface Detail {
  readonly path: string;
  readonly message: string;
}

/** An error that is answered as it stands. */
export class Failure extends Error {
  override readonly name = "Failure";

  constructor(
    readonly status: number,
    readonly reason: string,
    message: string,
    readonly more: { path?: string; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message);
  }
}

/** Thrown by a participant's own function: its message and status are meant for the caller. */
export class ParticipantError extends Error {
  override readonly name = "ParticipantError";

  constructor(
    message: string,
    readonly status = 400,
  ) {
    super(message);
    if (!Number.isInteger(status) || status < 400 || status > 599) {
      throw new RangeError("the status of a ParticipantError is between 400 and 599");
    }
  }
}

export function codeOf(status: number): Code {
  if (status === 401) return "UNAUTHORIZED";
  if (status === 403) return "FORBIDDEN";
  if (status === 404) return "NOT_FOUND";
  return status >= 500 ? "SERVER_ERROR" : "VALIDATION_ERROR";
}

export const invalid = (reason: string, message: string, path?: string): Failure =>
  new Failure(400, reason, message, path === undefined ? {} : { path });

export const tooLarge = (what: string, bytesMax: number): Failure =>
  new Failure(413, "too_large", `${what} is larger than ${bytesMax} bytes`);
