import type { Fault } from "../config/fault.ts";
import type { PlacedModel } from "../config/read-deployments.ts";
import { findProvider } from "../providers/registry.ts";

/** Models of providers that are known by name but cannot be called: better said at the start than at the first call. */
export function unservedProviders(models: readonly PlacedModel[]): Fault[] {
  const seen = new Set<string>();
  const faults: Fault[] = [];
  for (const { deployment, at, path } of models) {
    const { provider, group } = deployment;
    if (provider === "*" || findProvider(provider) || seen.has(provider)) continue;
    seen.add(provider);
    const message = `the provider \`${provider}\` is known but not served; calls to \`${group}\` will be refused`;
    faults.push({ file: at.file, line: at.line, column: at.column, path, message });
  }
  return faults;
}
