import { inOneLine } from "../coordinator/in-one-line.ts";

interface FailureFacts {
  /** The status of its response; null if the request ended without one. */
  readonly status?: number | null;
  /** Whether its response was an error of a participant of an SDK. */
  readonly isSdkError?: boolean;
  /** When the participant accepts the request again, in the words of its `retry-after`. */
  readonly retryAfter?: string | null;
}

/** A participant did not do what it was asked; `again` says whether a second request may help. */
export class ParticipantFailure extends Error {
  override readonly name = "ParticipantFailure";
  readonly status: number | null;
  readonly isSdkError: boolean;
  readonly retryAfter: string | null;

  constructor(
    message: string,
    readonly again: boolean,
    { status = null, isSdkError = false, retryAfter = null }: FailureFacts = {},
  ) {
    super(inOneLine(message));
    this.status = status;
    this.isSdkError = isSdkError;
    this.retryAfter = retryAfter;
  }
}
