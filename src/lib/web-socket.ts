/** What is heard from the other side of a WebSocket. */
export interface SocketEars {
  message(data: string | Uint8Array): void;
  /** Once, however it came to its end. */
  closed(code: number, reason: string): void;
}

/** Codes that stand for something which was seen and never said: they cannot be sent. */
const UNSENDABLE: ReadonlySet<number> = new Set([1004, 1005, 1006, 1015]);
const REASON_BYTES_MAX = 123;

/** A code as it may be sent: what the other side of a relay has seen and cannot say is a failure here. */
export const sendableCode = (code: number): number =>
  (code >= 3000 && code <= 4999) || (code >= 1000 && code <= 1014 && !UNSENDABLE.has(code)) ? code : 1011;

/** No longer than a close may have it. */
export function sendableReason(reason: string): string {
  let text = reason.slice(0, REASON_BYTES_MAX);
  while (Buffer.byteLength(text) > REASON_BYTES_MAX) text = text.slice(0, -1);
  return text;
}
