/** What echo refuses, in the error form that OpenAI's clients read. */
export class EchoFailure extends Error {
  override readonly name = "EchoFailure";

  constructor(
    readonly status: number,
    message: string,
    readonly param: string | null = null,
    readonly code: string | null = null,
    readonly type: string = "invalid_request_error",
  ) {
    super(message);
  }
}

export interface FailureBody {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly param: string | null;
    readonly code: string | null;
  };
}

export function badRequest(message: string, param: string | null = null, code: string | null = null): EchoFailure {
  return new EchoFailure(400, message, param, code);
}

export function failureBody({ message, type, param, code }: EchoFailure): FailureBody {
  return { error: { message, type, param, code } };
}
