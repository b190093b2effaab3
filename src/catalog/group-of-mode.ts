import type { Deployment } from "../contract/deployment.ts";
import { modeOfModel } from "./model-facts.ts";

/** The first group for a kind of model, for calls that name none. A model without a stated mode counts by its name. */
export const findGroupOfMode = (deployments: readonly Deployment[], mode: string): string | null =>
  deployments.find((deployment) => modeOfModel(deployment) === mode && !deployment.group.includes("*"))?.group ?? null;
