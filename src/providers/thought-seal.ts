import { isRecord, parseJson } from "../lib/json.ts";

/**
 * What Google and OpenAI have sealed, in Anthropic's form, where only a thought can be signed: the signature of a thought says
 * whose it is. Each would refuse what another has signed; signatures of Anthropic are base64, which has no colon.
 */
const FOREIGN = /^(?:google|openai):/;

/** Whether somebody else than Anthropic has signed it. */
export const isForeignSeal = (signature: unknown): boolean => typeof signature === "string" && FOREIGN.test(signature);

/** Google's: of the call that follows, or of the text. */
export interface ThoughtSeal {
  readonly of: "call" | "text";
  readonly seal: string;
}

export const sealSignature = ({ of, seal }: ThoughtSeal): string => `google:${of}:${seal}`;

/** Null for any other signature. */
export function readSeal(signature: unknown): ThoughtSeal | null {
  if (typeof signature !== "string") return null;
  const [, of, seal] = /^google:(call|text):(.+)$/s.exec(signature) ?? [];
  return of && seal ? { of: of as ThoughtSeal["of"], seal } : null;
}

const ITEMS = "openai:";

/** OpenAI's: items of what was thought, with what they led to and who sealed them. */
export const itemsSignature = (items: readonly object[]): string =>
  ITEMS + Buffer.from(JSON.stringify(items)).toString("base64url");

/** Nothing for any other signature, and for what we have not made. */
export function readItems(signature: unknown): readonly Record<string, unknown>[] {
  if (typeof signature !== "string" || !signature.startsWith(ITEMS)) return [];
  try {
    const items = parseJson(Buffer.from(signature.slice(ITEMS.length), "base64url").toString());
    return Array.isArray(items) ? items.filter(isRecord) : [];
  } catch {
    return [];
  }
}
