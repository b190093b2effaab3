import type { Fault } from "../config/fault.ts";
import { readCredentialValues, readEntry } from "../config/read-entry.ts";
import type { Params } from "../config/read-param.ts";
import type { Deployment } from "../contract/deployment.ts";
import { findProvider } from "../providers/registry.ts";
import type { Fields, OpenCredential, OpenDeployment } from "./sealing.ts";
import type { Stock } from "./stock.ts";

/** What the configuration says that stored models have to go with. Another configuration has another `credentials` object. */
export interface Runtime {
  readonly variable: (name: string) => string | undefined;
  /** Those of the file, by name. */
  readonly credentials: Readonly<Record<string, Fields>>;
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
export function readStock(stock: Stock, surroundings: Runtime): readonly StockReading[] {
  const credentials = allCredentials(stock, surroundings);
  const taken = new Set(surroundings.configured.map(({ id }) => id));
  return stock.deployments.map((open) => {
    if (open.damaged) return { open, deployment: null, faults: [DAMAGED] };
    if (taken.has(open.record.id)) {
      return { open, deployment: null, faults: ["the configuration file has a model of the same id"] };
    }
    return readOne(open, credentials, surroundings);
  });
}

interface Remembered<T> {
  readonly configuration: object;
  readonly credential: Params | undefined;
  readonly value: T;
}

/** What was read of an entry holds for as long as the entry, its credential and the configuration are the same. */
const readings = new WeakMap<OpenDeployment, Remembered<StockReading>>();
const lent = new WeakMap<OpenCredential, Remembered<Params>>();

function readOne(open: OpenDeployment, credentials: ReadonlyMap<string, Params>, surroundings: Runtime): StockReading {
  const { credentials: configuration, variable } = surroundings;
  const credential = credentials.get(String(open.params.litellm_credential_name));
  const known = readings.get(open);
  if (known?.configuration === configuration && known.credential === credential) return known.value;
  const { groupName: group } = open.record;
  const { value, faults } = readEntry({ group, params: open.params, info: open.info }, { variable, credentials });
  const reading = { open, deployment: value && asStored(value, open), faults: faults.map(inWords) };
  readings.set(open, { configuration, credential, value: reading });
  return reading;
}

/** Stored credentials beside those of the file, which win: what an operator wrote there is what they look at. */
export function allCredentials(stock: Stock, surroundings: Runtime): ReadonlyMap<string, Params> {
  const stored = stock.credentials.map((open) => [open.record.name, valuesOf(open, surroundings)] as const);
  return new Map([...stored, ...configuredCredentials(surroundings.credentials)]);
}

function valuesOf(open: OpenCredential, { credentials: configuration, variable }: Runtime): Params {
  const known = lent.get(open);
  if (known?.configuration === configuration) return known.value;
  const { value } = readCredentialValues(open.values, open.record.name, { variable });
  const params = new Map(Object.entries(value ?? {}));
  lent.set(open, { configuration, credential: undefined, value: params });
  return params;
}

const configured = new WeakMap<object, ReadonlyMap<string, Params>>();

function configuredCredentials(credentials: Runtime["credentials"]): ReadonlyMap<string, Params> {
  const known = configured.get(credentials);
  if (known) return known;
  const made = new Map(Object.entries(credentials).map(([name, values]) => [name, new Map(Object.entries(values))]));
  configured.set(credentials, made);
  return made;
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
