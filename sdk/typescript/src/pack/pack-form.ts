/** How a change is packed: floats of 16 bits, integers of 8 bits with scales, or only its largest part. */
export type PackForm =
  | { readonly form: "f16" }
  | { readonly form: "int8" }
  | {
      readonly form: "top_k";
      /** How much of it: above 0, up to 1. */
      readonly share: number;
    };

/** What a coordinator wishes in `config.pack`; null where it wishes nothing that is known here. */
export function readPackForm(value: unknown): PackForm | null {
  if (typeof value !== "object" || value === null) return null;
  const { form, share } = value as Record<string, unknown>;
  if (form === "f16" || form === "int8") return { form };
  if (form !== "top_k" || typeof share !== "number") return null;
  return share > 0 && share <= 1 ? { form, share } : null;
}
