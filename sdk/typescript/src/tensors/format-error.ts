/** Bytes that are not what they should be; `reason` is what a participant answers with. */
export class FormatError extends Error {
  override readonly name = "FormatError";

  constructor(
    readonly reason: "unsupported_format" | "shape_mismatch" | "not_finite",
    message: string,
  ) {
    super(message);
  }
}

export const unsupported = (message: string): FormatError => new FormatError("unsupported_format", message);
