/** How far the server's clock is ahead of the browser's. */
let aheadMs = 0;
/** The browser's clock has been set where it differs by so much; less is the way of an answer, and a date without its milliseconds. */
const SET_MS = 10_000;

/** Every answer tells the server's time as it was a moment ago: the largest difference is nearest to the true one. */
export function keepServerTime(answer: Response): void {
  const seenMs = Date.parse(answer.headers.get("date") ?? "") - Date.now();
  if (seenMs > aheadMs || seenMs < aheadMs - SET_MS) aheadMs = seenMs;
}

/** What the server's times are compared with: the clock of a browser may show anything. */
export const serverNowMs = (): number => Date.now() + aheadMs;
