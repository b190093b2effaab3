import { readFileSync } from "node:fs";
import type { Fault } from "../config/fault.ts";
import { type LoadResult, loadConfig } from "../config/load.ts";
import { renderFaults } from "../config/render-faults.ts";
import { systemClock } from "../lib/clock.ts";
import { unservedProviders } from "./unserved-providers.ts";

export interface Output {
  print(text: string): void;
  complain(text: string): void;
}

/** `turnpike config check`: every fault at once, for people or as JSON. The exit code tells whether the file is good. */
export async function checkConfig(file: string | null, json: boolean, output: Output): Promise<number> {
  const loaded = loadConfig({ file, env: process.env });
  const faults = loaded.ok ? await taken(loaded) : loaded.faults;
  const warnings = [...warningsOf(loaded), ...(await keyless(loaded)), ...(await unpriced(loaded))];
  const { date } = await (await import("../catalog/model-facts.ts")).builtInTable();
  if (json) {
    output.print(JSON.stringify({ ok: faults.length === 0, faults, warnings, facts: { date } }));
    return faults.length === 0 ? 0 : 1;
  }
  const [unprotected, others] = [warnings.filter(({ protects }) => protects), warnings.filter((one) => !one.protects)];
  if (unprotected.length > 0) {
    const heading = `${count(unprotected.length, "protection")} of this file that ${unprotected.length === 1 ? "is" : "are"} not served`;
    output.complain(`${heading}:\n\n${showFaults(unprotected)}\n`);
  }
  if (others.length > 0) output.complain(`${count(others.length, "warning")}:\n\n${showFaults(others)}\n`);
  if (!loaded.ok || faults.length > 0) {
    output.complain(`${count(faults.length, "fault")}:\n\n${showFaults(faults)}`);
    return 1;
  }
  const where = loaded.files.length > 0 ? loaded.files.join(", ") : "no file, only the environment";
  output.print(`The configuration is good: ${count(loaded.config.deployments.length, "deployment")} (${where}).`);
  output.print(`Limits, capabilities and prices of models are from the table of ${date}.`);
  return 0;
}

/** Paths that a start would refuse, because they are served here. */
async function taken({ config, endpoints }: LoadResult & { ok: true }): Promise<readonly Fault[]> {
  if (endpoints.length === 0) return [];
  const [{ servedRoutes }, { reservedPaths }] = await Promise.all([
    import("./served-routes.ts"),
    import("./taken-paths.ts"),
  ]);
  const places = new Map(
    endpoints.map(({ endpoint, at: { file, line, column }, path }) => [endpoint, { file, line, column, path }]),
  );
  const found = reservedPaths(servedRoutes(config), [...places.keys()]);
  return found.flatMap(({ endpoint, words }) => {
    const place = places.get(endpoint);
    return place ? [{ ...place, message: `${words}; give it another path` }] : [];
  });
}

/** Only of a good file: of one that is not, it is not known what `environment_variables` come to. */
async function keyless(loaded: LoadResult): Promise<readonly Fault[]> {
  if (!loaded.ok) return [];
  const { missingKeys } = await import("./missing-keys.ts");
  return missingKeys(loaded.models, (name) => loaded.config.environment[name] ?? process.env[name]);
}

/** Separate from the checks of a start, which must not wait for the model table. */
async function unpriced(loaded: LoadResult): Promise<readonly Fault[]> {
  const { models } = loaded;
  if (models.length === 0) return [];
  const [{ PriceTable }, { unpricedModels }] = await Promise.all([
    import("../catalog/price-table.ts"),
    import("./unpriced-models.ts"),
  ]);
  const prices = new PriceTable(() => systemClock.nowMs());
  await prices.load();
  const places = new Map(
    models.map(({ deployment, at: { file, line, column }, path }) => [deployment, { file, line, column, path }]),
  );
  const policy = loaded.ok ? loaded.config.billing.unpricedModels : "refuse";
  return unpricedModels([...places.keys()], prices, policy, places);
}

/** Everything that should be said at once of a configuration, whether it is good or not. */
export const warningsOf = (loaded: LoadResult): readonly Fault[] => [
  ...loaded.warnings,
  ...unservedProviders(loaded.models),
];

/** Faults with the lines that they stand in. */
export const showFaults = (faults: readonly Fault[]): string => renderFaults(faults, readOrNull);

function readOrNull(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
}

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`;
