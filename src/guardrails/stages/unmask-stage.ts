import { PLACEHOLDER_NAME, type Vault } from "../vault.ts";
import type { PromptStage } from "./json-strings-stage.ts";
import { JsonTokensStage } from "./json-tokens-stage.ts";

/** `[`, then nothing that a placeholder does not have. */
const BEGUN = new RegExp(`\\[(?:${PLACEHOLDER_NAME})?$`, "i");

/** Puts back what was masked. Models sometimes cut a placeholder into several pieces; it is held back until it is whole. */
export class UnmaskStage implements PromptStage {
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

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Puts back into a JSON object what was masked: numbers as numbers where they were, all else as strings. */
export function unmaskObject(vault: Vault): PromptStage {
  return new JsonTokensStage({
    bare(token) {
      const value = vault.undo(token);
      return value === token || NUMBER.test(value) ? value : JSON.stringify(value);
    },
    inside: new UnmaskStage(vault, asJsonText),
    isNumber: (placeholder) => vault.isNumber(placeholder),
  });
}
