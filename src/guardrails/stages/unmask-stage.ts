import type { Vault } from "../vault.ts";
import type { Stage } from "./stage.ts";

/** `[`, then nothing that a placeholder does not have. */
const BEGUN = /\[(?:[A-Z][A-Z0-9_]*)?$/;

/** Puts back what was masked. Models sometimes cut a placeholder into several pieces; it is held back until it is whole. */
export class UnmaskStage implements Stage {
  private held = "";

  constructor(
    private readonly vault: Vault,
    /** How a value is written where it goes, such as with JSON's escapes. */
    private readonly write: (value: string) => string = (value) => value,
  ) {}

  push(text: string): string {
    const all = this.held + text;
    const begun = BEGUN.exec(all.slice(-this.vault.placeholderCharsMax));
    const cut = begun ? all.length - begun[0].length : all.length;
    this.held = all.slice(cut);
    return this.vault.undo(all.slice(0, cut), this.write);
  }

  end(): string {
    const rest = this.held;
    this.held = "";
    return this.vault.undo(rest, this.write);
  }
}

/** Inside a JSON text. */
export const asJsonText = (value: string): string => JSON.stringify(value).slice(1, -1);
