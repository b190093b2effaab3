import type { Fault } from "../config/fault.ts";
import { type EntrySurroundings, readCredentialValues, readEntry } from "../config/read-entry.ts";
import type { Deployment } from "../contract/deployment.ts";
import { findProvider } from "../providers/registry.ts";
import type { Fields, OpenDeployment } from "./sealing.ts";
import type { Stock } from "./stock.ts";

/** What the configuration says that stored models have to go with. */
export interface Surroundings extends EntrySurroundings {
  /** Deployments that do not come from the database. */
  readonly configured: readonly Deployment[];
  /** Whether models are kept in the database at all. */
  readonly storeModels: boolean;
}

/** A stored deployment as it is read now. */
export interface StockReading {
  readonly open: OpenDeployment;
  /** Null where something is wrong with it; it is then left out of what can be called. */
  readonly deployment: Deployment | null;
  readonly faults: readonly string[];
}

const DAMAGED = "its sealed part cannot be opened; set its secrets again";

/** Reads what is stored against the present configuration. One entry with a fault takes no other with it. */
export function readStock(stock: Stock, surroundings: Surroundings): readonly StockReading[] {
  const credentials = allCredentials(stock, surroundings);
  const taken = new Set(surroundings.configured.map(({ id }) => id));
  return stock.deployments.map((open) => {
    if (open.damaged) return { open, deployment: null, faults: [DAMAGED] };
    if (taken.has(open.record.id)) {
      return { open, deployment: null, faults: ["the configuration file has a model of the same id"] };
    }
    const { groupName: group } = open.record;
    const { value, faults } = readEntry(
      { group, params: open.params, info: open.info },
      { ...surroundings, credentials },
    );
    return { open, deployment: value && asStored(value, open), faults: faults.map(inWords) };
  });
}

/** Stored credentials beside those of the file, which win: what an operator wrote there is what they look at. */
export function allCredentials(
  stock: Stock,
  { variable, credentials }: EntrySurroundings,
): Readonly<Record<string, Fields>> {
  const stored = stock.credentials.map(({ record, values }) => {
    const { value } = readCredentialValues(values, record.name, { variable });
    return [record.name, value ?? {}] as const;
  });
  return { ...Object.fromEntries(stored), ...credentials };
}

const asStored = (deployment: Deployment, { record }: OpenDeployment): Deployment => ({
  ...deployment,
  id: record.id,
  stored: true,
  info: {
    ...deployment.info,
    id: record.id,
    created_at: new Date(record.createdAt).toISOString(),
    updated_at: new Date(record.updatedAt).toISOString(),
  },
});

export const inWords = ({ path, message }: Fault): string => (path === "" ? message : `${path}: ${message}`);

/** Better said when the model is made than at the first call. */
export const unservedWarning = ({ provider }: Deployment): readonly string[] =>
  provider === "*" || findProvider(provider)
    ? []
    : [`the provider \`${provider}\` is known but not served; calls will be refused`];
