/** One upstream target: a model of a provider at an address, with the key that it is called with. */
export interface Deployment {
  readonly id: string;
  /** The name that callers use; several deployments may serve one group. */
  readonly group: string;
  readonly provider: string;
  readonly upstreamModel: string;
  readonly apiBase: string | null;
  readonly apiKey: string | null;
  readonly apiVersion: string | null;
  /** Everything else of the deployment's parameters: limits, weights, defaults for the request. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly info: Readonly<Record<string, unknown>>;
}
