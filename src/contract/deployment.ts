/** Stands where a secret would; sent back in a change, it means that the secret stays. */
export const MASKED = "****";

/** One upstream target: a model of a provider at an address, with the key that it is called with. */
export interface Deployment {
  readonly id: string;
  /** The name that callers use (`model_name`); several deployments may serve one group. */
  readonly group: string;
  /** What a caller called it where its group is a pattern of models; absent for all others. */
  readonly calledAs?: string;
  /** A provider id, or `*` where the caller's model name brings the provider with it. */
  readonly provider: string;
  /** The model's name as the provider knows it; may hold `*`. */
  readonly upstreamModel: string;
  /** Called through OpenAI's Responses; absent: in the provider's usual form. */
  readonly form?: "responses";
  readonly apiBase: string | null;
  readonly apiKey: string | null;
  readonly apiVersion: string | null;
  /** Everything else of the deployment's parameters under its own name: limits, weights, defaults for the request. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly info: Readonly<Record<string, unknown>>;
  /** It is kept in the database rather than in the configuration file. */
  readonly stored?: boolean;
}
