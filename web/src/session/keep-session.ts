import { useEffect } from "react";
import { renewSession } from "../api/client.ts";

const KEY = "turnpike-renewed-at";
const EVERY_MS = 60 * 60_000;

/** Renews the session while a page is open, once an hour over all tabs, so that nobody is thrown out at work. */
export function useKeepSession(isSignedIn: boolean): void {
  useEffect(() => {
    if (!isSignedIn) return;
    const renew = (): void => {
      const last = Number(window.localStorage.getItem(KEY) ?? 0);
      if (Date.now() - last < EVERY_MS) return;
      window.localStorage.setItem(KEY, String(Date.now()));
      // A failure shows at the next call, which renews by itself.
      void renewSession().catch(() => undefined);
    };
    renew();
    const timer = window.setInterval(renew, EVERY_MS / 6);
    return () => window.clearInterval(timer);
  }, [isSignedIn]);
}
