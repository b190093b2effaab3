import type { PricedModel } from "../../components/model-prices.ts";

/** A model as `/api/admin/models` shows it: the fields that these pages read. */
export interface AdminModel {
  readonly id: string;
  readonly name: string;
  readonly provider: string;
  readonly providerName?: string;
  readonly type?: string;
  readonly inferenceModelId?: string;
  readonly contextLength?: number | null;
  readonly maxOutputTokens?: number | null;
  readonly inputPrice?: number | null;
  readonly outputPrice?: number | null;
  readonly cachedInputPrice?: number | null;
  readonly pricing?: readonly { readonly component: string; readonly price: number }[];
  readonly source: "configuration" | "built-in" | "database";
  readonly readOnly: boolean;
  readonly status: "enabled" | "disabled";
  readonly apiBase: string | null;
  readonly params: Readonly<Record<string, unknown>>;
  readonly info: Readonly<Record<string, unknown>>;
  readonly faults: readonly string[];
  readonly warnings?: readonly string[];
  readonly createdAt: string | null;
  readonly updatedAt: string | null;
}

export const MODELS_KEY = ["operator", "models"] as const;

export const SOURCES = {
  configuration: "configuration file",
  "built-in": "built in",
  database: "added here",
} as const satisfies Record<AdminModel["source"], string>;

/** What its prices are read from; one that cannot be read has none. */
export const pricedOf = ({ type = "chat", pricing = [] }: AdminModel): PricedModel => ({ type, pricing });
