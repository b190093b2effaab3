/** A content block of Anthropic's wire form. */
export interface Block {
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface Turn {
  readonly role: "user" | "assistant";
  readonly content: readonly Block[];
}
