import type { StoredDeployment } from "../accounts/model-records.ts";
import type { Deployment } from "../contract/deployment.ts";
import { type Runtime, readStock } from "./read-stock.ts";
import type { Stock } from "./stock.ts";

/** A model as operators see it, wherever it is kept. */
export interface SeenModel {
  readonly id: string;
  readonly group: string;
  readonly source: "configuration" | "built-in" | "database";
  readonly status: "enabled" | "disabled";
  readonly provider: string;
  /** Null where something is wrong with what is stored. */
  readonly deployment: Deployment | null;
  readonly faults: readonly string[];
  readonly createdBy: number | null;
  readonly createdAt: number | null;
  readonly updatedAt: number | null;
}

/** Those of the file first, then the stored ones, the oldest first. */
export function seeModels(stock: Stock, surroundings: Runtime): readonly SeenModel[] {
  const stored = readStock(stock, surroundings).map(({ open: { record }, deployment, faults }) => ({
    ...seenRecord(record),
    deployment,
    faults,
  }));
  return [...surroundings.configured.map(seenConfigured), ...stored];
}

export const seenRecord = (record: StoredDeployment): Omit<SeenModel, "deployment" | "faults"> => ({
  id: record.id,
  group: record.groupName,
  source: "database",
  status: record.status,
  provider: record.provider,
  createdBy: record.createdBy,
  createdAt: record.createdAt,
  updatedAt: record.updatedAt,
});

export const seenConfigured = (deployment: Deployment): SeenModel => ({
  id: deployment.id,
  group: deployment.group,
  source: deployment.provider === "echo" && deployment.id.startsWith("builtin-") ? "built-in" : "configuration",
  status: "enabled",
  provider: deployment.provider,
  deployment,
  faults: [],
  createdBy: null,
  createdAt: null,
  updatedAt: null,
});
