/**
 * A seal of Google's in Anthropic's form, where only a thought can be signed: the signature of a thought that says whose it is
 * and whether it is of the call that follows or of the text. Anthropic would refuse it, and Google what Anthropic has signed.
 */
export interface ThoughtSeal {
  readonly of: "call" | "text";
  readonly seal: string;
}

export const sealSignature = ({ of, seal }: ThoughtSeal): string => `google:${of}:${seal}`;

/** Null for any other signature: those of Anthropic are base64, which has no colon. */
export function readSeal(signature: unknown): ThoughtSeal | null {
  if (typeof signature !== "string") return null;
  const [, of, seal] = /^google:(call|text):(.+)$/s.exec(signature) ?? [];
  return of && seal ? { of: of as ThoughtSeal["of"], seal } : null;
}
