import type { Config } from "../config/config.ts";
import type { Fault } from "../config/fault.ts";
import { findProvider } from "../providers/registry.ts";

/** Models of providers that are known by name but cannot be called: better said at the start than at the first call. */
export function unservedProviders(config: Config): Fault[] {
  const seen = new Set<string>();
  const faults: Fault[] = [];
  for (const { provider, group } of config.deployments) {
    if (provider === "*" || findProvider(provider) || seen.has(provider)) continue;
    seen.add(provider);
    const message = `the provider \`${provider}\` is known but not served; calls to \`${group}\` will be refused`;
    faults.push({ file: "configuration", line: null, column: null, path: "model_list", message });
  }
  return faults;
}
