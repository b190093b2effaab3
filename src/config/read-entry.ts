import type { Deployment } from "../contract/deployment.ts";
import { DeploymentReader } from "./deployment-reader.ts";
import { type Fault, Report } from "./fault.ts";
import { plainNode } from "./plain-node.ts";
import { type Params, readParam } from "./read-param.ts";
import type { Scope } from "./scope.ts";
import { childPath } from "./tree.ts";

/** What an entry that does not stand in the file may refer to. */
export interface EntrySurroundings {
  readonly variable: (name: string) => string | undefined;
  readonly credentials: ReadonlyMap<string, Params>;
}

export interface ReadResult<T> {
  /** Null where there is a fault. */
  readonly value: T | null;
  readonly faults: readonly Fault[];
  readonly warnings: readonly Fault[];
}

type Fields = Readonly<Record<string, unknown>>;

/** An entry of `model_list` that comes from elsewhere, by the same rules and with the same words. */
export function readEntry(
  entry: { readonly group: unknown; readonly params: unknown; readonly info: unknown },
  { variable, credentials }: EntrySurroundings,
): ReadResult<Deployment> {
  const written = { model_name: entry.group, litellm_params: entry.params, model_info: entry.info };
  return reading(variable, (scope) => new DeploymentReader(scope, credentials, "", true).read(plainNode(written)));
}

/** The values of a credential that comes from elsewhere; `path` is what messages call them. */
export function readCredentialValues(
  values: Fields,
  path: string,
  { variable }: Pick<EntrySurroundings, "variable">,
): ReadResult<Fields> {
  return reading(variable, (scope) => {
    const node = plainNode(values);
    const entries = node.kind === "map" ? [...node.entries] : [];
    const read = entries.map(
      ([key, entry]) => [key, readParam(scope, key, entry.value, childPath(path, key))] as const,
    );
    return Object.fromEntries(read.filter(([, value]) => value !== null));
  });
}

function reading<T>(variable: Scope["variable"], read: (scope: Scope) => T | null): ReadResult<T> {
  const report = new Report();
  const value = read({ report, variable });
  const { faults, warnings } = report.sorted([]);
  return { value: report.failed ? null : value, faults, warnings };
}
