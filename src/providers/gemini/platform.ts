import type { Target, UpstreamRequest } from "../dialect.ts";

/** Google serves the same models at two places: the Gemini API and Vertex AI. What differs between them is here. */
export interface Platform {
  /** For people: it begins the messages about the upstream's faults. */
  readonly title: string;
  /** Whether function calls and their results may carry an id, and results pictures. Vertex AI's stable version has neither. */
  readonly takesCallIds: boolean;
  /** Whether `countTokens` wraps the request, with the model's resource name inside. */
  readonly wrapsCountTokens: boolean;
  request(target: Target, method: string, body: object): UpstreamRequest;
}
