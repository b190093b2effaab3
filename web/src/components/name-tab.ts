// What the frame calls a page of its kind, and what the page itself does: whichever is rendered last, its own name counts.
let usual = "";
let own: string | undefined;

const tell = (): void => {
  document.title = `${own ?? usual} · Turnpike`;
};

/** By the frame, for pages that have no name of their own. */
export function nameTabAsUsual(name: string): void {
  usual = name;
  tell();
}

/** By a page, until it is left: what it gives takes the name away again. */
export function nameTab(name: string): () => void {
  own = name;
  tell();
  return () => {
    if (own !== name) return;
    own = undefined;
    tell();
  };
}
