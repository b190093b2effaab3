import type { Deployment } from "../contract/deployment.ts";

/** The first group for a kind of model, for calls that name none. */
export const findGroupOfMode = (deployments: readonly Deployment[], mode: string): string | null =>
  deployments.find((deployment) => deployment.info.mode === mode && !deployment.group.includes("*"))?.group ?? null;
