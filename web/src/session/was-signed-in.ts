const KEY = "turnpike-signed-in";

/** Whether somebody was signed in here when it was last known. A browser that keeps nothing does not say no. */
export function wasSignedIn(): boolean {
  try {
    return window.localStorage.getItem(KEY) !== null;
  } catch {
    return true;
  }
}

export function keepWhetherSignedIn(isSignedIn: boolean): void {
  try {
    if (isSignedIn) window.localStorage.setItem(KEY, "1");
    else window.localStorage.removeItem(KEY);
  } catch {
    // Then it is asked every time.
  }
}
