interface Encoding {
  encode(text: string): number[];
  decode(tokens: Iterable<number>): string;
}

let loading: Promise<Encoding> | null = null;

/** The tables take half a second and ninety megabytes to load, so they are loaded when somebody first counts. */
const load = (): Promise<Encoding> => {
  loading ??= import("gpt-tokenizer/encoding/o200k_base");
  return loading;
};

export async function countTokens(text: string): Promise<number> {
  return (await load()).encode(text).length;
}

export async function decodeTokens(tokens: readonly number[]): Promise<string> {
  return (await load()).decode(tokens);
}
