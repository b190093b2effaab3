import type { Deployment } from "../catalog/deployment.ts";

/** What an inference answer says about where it came from. */
export const answerHeaders = (deployment: Deployment): Record<string, string> => ({
  "x-gw-model-id": deployment.id,
  "x-gw-model-group": deployment.group,
});
