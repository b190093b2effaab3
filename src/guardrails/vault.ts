/** What stands between the brackets of a placeholder, as a pattern. */
export const PLACEHOLDER_NAME = "[A-Z][A-Z0-9_]{0,50}";
/** Anything of the form that ours have. */
const PLACEHOLDER = /\[[A-Z][A-Z0-9_]{0,40}_\d{1,7}\]/g;
/** Models write names in headings and sentences as they write other words there. */
const BRACKETED = new RegExp(`\\[${PLACEHOLDER_NAME}\\]`, "gi");
const OF_ANY_CASE = new RegExp(PLACEHOLDER, "gi");
const LABEL_CHARS_MAX = 40;

/** Quickly: false for most texts. */
export const mayHoldPlaceholder = (text: string): boolean => text.includes("[");

/**
 * What was masked in one call: each value has one placeholder, such as `[EMAIL_1]`, and no placeholder stands in the
 * request already, so that putting the values back gives what was there.
 */
export class Vault {
  private readonly placeholders = new Map<string, string>();
  private readonly values = new Map<string, string>();
  private readonly counts = new Map<string, number>();
  private readonly taken = new Set<string>();
  private readonly own = new Set<string>();
  private readonly numbers = new Set<string>();
  private longest = 0;

  /** Placeholders that the caller wrote himself, in whatever case, are nobody's. */
  reserve(text: string): void {
    for (const [found] of text.matchAll(OF_ANY_CASE)) {
      const name = found.toUpperCase();
      if (!this.own.has(name)) this.taken.add(name);
    }
  }

  /** The placeholder of a value. One that is not kept is the same for the same value, and is never undone. */
  mask(value: string, category: string, kept: boolean): string {
    const label = labelOf(category);
    const known = this.placeholders.get(`${kept} ${label} ${value}`);
    if (known !== undefined) return known;
    const placeholder = this.newPlaceholder(label);
    this.placeholders.set(`${kept} ${label} ${value}`, placeholder);
    this.own.add(placeholder);
    this.longest = Math.max(this.longest, placeholder.length);
    // What was masked inside of it before comes back with it.
    if (kept) this.values.set(placeholder, this.undo(value));
    return placeholder;
  }

  /** A text with all that can be put back. */
  undo(text: string, write: (value: string) => string = (value) => value): string {
    if (!mayHoldPlaceholder(text)) return text;
    return text.replace(BRACKETED, (placeholder) => {
      const value = this.values.get(placeholder.toUpperCase());
      return value === undefined ? placeholder : write(value);
    });
  }

  /** Such a placeholder stands where JSON had a number: in JSON it comes back as one. */
  wasNumber(placeholder: string): void {
    if (this.values.has(placeholder)) this.numbers.add(placeholder);
  }

  isNumber(placeholder: string): boolean {
    return this.numbers.has(placeholder);
  }

  isOwn(placeholder: string): boolean {
    return this.own.has(placeholder);
  }

  /** Whether a text has a placeholder of ours that is never undone. */
  hasLost(text: string): boolean {
    for (const [found] of text.matchAll(PLACEHOLDER)) if (this.own.has(found) && !this.values.has(found)) return true;
    return false;
  }

  /** Whether there is anything to put back. */
  get isEmpty(): boolean {
    return this.values.size === 0;
  }

  /** Of the longest placeholder. */
  get placeholderCharsMax(): number {
    return this.longest;
  }

  private newPlaceholder(label: string): string {
    for (;;) {
      const count = (this.counts.get(label) ?? 0) + 1;
      this.counts.set(label, count);
      const placeholder = `[${label}_${count}]`;
      if (!this.taken.has(placeholder)) return placeholder;
    }
  }
}

const labelOf = (category: string): string => {
  const label = category.toUpperCase().replace(/[^A-Z0-9]+/g, "_");
  return /^[A-Z]/.test(label) ? label.slice(0, LABEL_CHARS_MAX) : `X${label}`.slice(0, LABEL_CHARS_MAX);
};

/** A text cut at the placeholders that stand in it: what is between them, and them, in turn. */
export function cutAtPlaceholders(vault: Vault, text: string): string[] {
  if (vault.placeholderCharsMax === 0 || !mayHoldPlaceholder(text)) return [text];
  const parts: string[] = [];
  let from = 0;
  for (const { index, 0: found } of text.matchAll(PLACEHOLDER)) {
    if (!vault.isOwn(found)) continue;
    parts.push(text.slice(from, index), found);
    from = index + found.length;
  }
  parts.push(text.slice(from));
  return parts;
}
