let last: HTMLElement | null = null;

/** Keeps in mind where on the page somebody was; dialogs and menus are not the page. */
export function watchFocus(): void {
  document.addEventListener("focusin", ({ target }) => {
    if (target instanceof HTMLElement && target.closest("[data-portal]") === null) last = target;
  });
}

/**
 * After a dialog has closed: a dialog that was opened from a menu, or from another dialog, has nothing left to give the focus back
 * to, and somebody at the keyboard would begin at the top of the page. What is gone itself (a row that was removed) leaves the page.
 */
export function giveFocusBack(): void {
  const held = document.activeElement;
  takeUpFocus();
  if (held === null || held.closest("[data-portal]") === null) return;
  // The dialog is still in the document, and has the focus: where the entry of a menu that opened it was gone first.
  const watch = new MutationObserver(() => {
    if (document.activeElement === held) return;
    watch.disconnect();
    takeUpFocus();
  });
  watch.observe(document.body, { childList: true, subtree: true });
}

function takeUpFocus(): void {
  if (document.activeElement !== document.body) return;
  const place = last?.isConnected ? last : document.getElementById("page");
  place?.focus({ preventScroll: true });
}
