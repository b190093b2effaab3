import type { Deployment } from "../../contract/deployment.ts";

/** What shares are counted by: the first of these that the group's first deployment has. */
const SHARES = ["weight", "rpm", "tpm"] as const;

export const shareName = (first: Deployment | undefined): (typeof SHARES)[number] | undefined =>
  SHARES.find((name) => typeof first?.params[name] === "number");

/** Draws a deployment by its share of the calls; without shares, each is as likely. `random` is in [0, 1). */
export function pickDeployment(deployments: readonly Deployment[], random: number): Deployment | undefined {
  const counted = shareName(deployments[0]);
  if (counted === undefined) return deployments[Math.floor(random * deployments.length)];
  const shares = deployments.map((deployment) => Math.max(0, Number(deployment.params[counted] ?? 0)));
  let left = random * shares.reduce((sum, share) => sum + share, 0);
  for (const [index, share] of shares.entries()) {
    left -= share;
    if (left < 0) return deployments[index];
  }
  // All shares are zero, or rounding has left a crumb.
  return deployments.at(-1);
}
