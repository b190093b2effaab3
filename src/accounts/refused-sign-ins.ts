import { BoundedMap } from "../lib/bounded-map.ts";
import type { Clock } from "../lib/clock.ts";
import { siteOf } from "../lib/ip-range.ts";
import { noteChange } from "./change.ts";
import type { AccountStores } from "./store.ts";

const WINDOW_MS = 60 * 60 * 1000;
/** Rows in an hour, in each process: nobody fills the log with wrong passwords, from one place or from many. */
const OF_ONE_SITE = 30;
const OF_ALL = 1_000;
const SITES_MAX = 50_000;

/** How somebody shows who they are. */
export type SignInWay = "password" | "password_and_code" | "passkey" | "single_sign_on" | "device";

interface Refused {
  readonly action?: "user.sign_in_refused" | "user.sign_in_begin";
  readonly way: SignInWay;
  readonly reason: string;
  /** Whose account it was; null where there is none. What was typed in place of a name may be a password, and is not kept. */
  readonly userId: number | null;
  readonly address: string | null;
}

interface Window {
  readonly startedAtMs: number;
  readonly written: number;
  readonly untold: number;
}

/** Sign-ins that came to nothing, in the audit log: each of the first ones, and how many more there were. */
export class RefusedSignIns {
  private readonly sites = new BoundedMap<string, Window>(SITES_MAX);
  private all: Window = { startedAtMs: 0, written: 0, untold: 0 };

  constructor(
    private readonly stores: AccountStores,
    private readonly clock: Clock,
  ) {}

  /**
   * Goes by the place alone, never by the account: how long an answer takes must not tell whether there is one. The last row
   * of an hour says that those after it are only counted, and the first one of a later hour how many they were.
   */
  async note({ action = "user.sign_in_refused", way, reason, userId, address }: Refused): Promise<void> {
    const site = address === null ? "" : siteOf(address);
    const now = this.clock.monotonicMs();
    const ofSite = presentOf(this.sites.get(site), now);
    const ofAll = presentOf(this.all, now);
    const isFull = ofSite.written >= OF_ONE_SITE || ofAll.written >= OF_ALL;
    this.sites.set(site, isFull ? more(ofSite) : written(ofSite));
    this.all = isFull ? more(ofAll) : written(ofAll);
    if (isFull) return;
    const isLast = ofSite.written + 1 === OF_ONE_SITE || ofAll.written + 1 === OF_ALL;
    const details = {
      way,
      reason,
      ...(ofSite.untold > 0 ? { notWrittenBefore: ofSite.untold } : {}),
      ...(isLast ? { moreAreNotWritten: true } : {}),
    };
    await noteChange(
      this.stores,
      this.clock,
      { caller: null, address },
      {
        action,
        organizationId: null,
        targetType: "user",
        targetId: userId === null ? "unknown" : `${userId}`,
        details,
      },
    );
  }
}

/** A new hour knows how many rows the one before has left out. */
function presentOf(known: Window | undefined, now: number): Window {
  if (known !== undefined && now - known.startedAtMs < WINDOW_MS) return known;
  return { startedAtMs: now, written: 0, untold: known?.untold ?? 0 };
}

const more = (window: Window): Window => ({ ...window, untold: window.untold + 1 });
/** What was left out is told with the first row of an hour, and begins anew. */
const written = (window: Window): Window => ({ ...window, written: window.written + 1, untold: 0 });
