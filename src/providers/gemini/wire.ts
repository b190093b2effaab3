/** The parts of `generateContent` that we write. */
export interface Content {
  readonly role: "user" | "model";
  readonly parts: readonly Part[];
}

export interface Part {
  readonly text?: string;
  readonly inlineData?: InlineData;
  readonly fileData?: { readonly fileUri: string; readonly mimeType?: string };
  readonly functionCall?: {
    readonly id?: string;
    readonly name: string;
    readonly args: Readonly<Record<string, unknown>>;
  };
  readonly functionResponse?: {
    readonly id?: string;
    readonly name: string;
    readonly response: Readonly<Record<string, unknown>>;
    readonly parts?: readonly Part[];
  };
  /** Google's seal on the model's reasoning; it comes back on the part that it was given with. */
  readonly thoughtSignature?: string;
}

export interface InlineData {
  readonly mimeType: string;
  readonly data: string;
}
