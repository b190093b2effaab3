import { GatewayError } from "../contract/errors.ts";
import { cleanName } from "./clean-name.ts";
import { readGuardrailNames } from "./guardrail-names.ts";
import { findOutside } from "./key-models.ts";
import { type RotationSettings, readRotation } from "./key-rotation.ts";
import { type LimitSettings, type PartSettings, readLimits, readParts } from "./limit-settings.ts";
import { readAddresses } from "./read-addresses.ts";
import { readExpiry } from "./read-expiry.ts";
import type { Aliases, ApiKey, Budget, Team } from "./records.ts";

/** What people may set of a key. What is left out stays as it is; null empties the field. */
export interface KeySettings extends LimitSettings, PartSettings, RotationSettings {
  readonly name?: string | undefined;
  readonly models?: readonly string[] | null | undefined;
  /** ISO 8601 with a time zone. */
  readonly expiresAt?: string | null | undefined;
  readonly aliases?: Aliases | null | undefined;
  readonly allowedIps?: readonly string[] | null | undefined;
  readonly guardrails?: readonly string[] | null | undefined;
  readonly tags?: readonly string[] | null | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
}

/** What is configured elsewhere and may be named here. */
export interface KnownNames {
  /** The groups that are in an access group. */
  readonly membersOf: (accessGroup: string) => readonly string[];
  readonly isGuardrail: (name: string) => boolean;
}

type KeyChanges = { -readonly [Field in keyof ApiKey]?: ApiKey[Field] };

const METADATA_BYTES_MAX = 16 * 1024;

/** Settings as they are stored. Each field is picked by its name: whatever else a body holds never reaches a record. */
export function readSettings(
  settings: KeySettings,
  present: ApiKey,
  team: Team,
  shared: Budget | null | undefined,
  nowMs: number,
  { membersOf, isGuardrail }: KnownNames,
): Partial<ApiKey> {
  const { name, models, expiresAt, aliases, allowedIps, guardrails, tags, metadata } = settings;
  const changes: KeyChanges = {
    ...readLimits(settings, present, shared),
    ...readParts(settings, present, shared),
    ...readRotation(settings, present, nowMs),
  };
  if (name !== undefined) changes.name = cleanName(name);
  if (models !== undefined) changes.models = readModels(models ?? [], team, membersOf);
  if (expiresAt !== undefined) changes.expiresAt = expiresAt === null ? null : readExpiry(expiresAt, nowMs);
  if (aliases !== undefined) changes.aliases = aliases ?? {};
  if (allowedIps !== undefined) changes.allowedIps = readAddresses(allowedIps ?? []);
  if (guardrails !== undefined) changes.guardrails = readGuardrailNames(guardrails ?? [], isGuardrail);
  if (tags !== undefined) changes.tags = unique(tags ?? []);
  if (metadata !== undefined) changes.metadata = readMetadata(metadata ?? {});
  return changes;
}

/** Nobody hands on more than they have: a key may call nothing that its team may not. */
function readModels(
  models: readonly string[],
  team: Team,
  membersOf: (accessGroup: string) => readonly string[],
): readonly string[] {
  const runtime = findOutside(models, team.models, membersOf);
  if (runtime !== null) throw invalid("models", `the team may not call \`${runtime}\`.`);
  return unique(models);
}

export function readMetadata(metadata: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const bytes = Buffer.byteLength(JSON.stringify(metadata));
  if (bytes > METADATA_BYTES_MAX) throw invalid("metadata", `it has at most ${METADATA_BYTES_MAX} bytes of JSON.`);
  return metadata;
}

const unique = (list: readonly string[]): readonly string[] => [...new Set(list)];

const invalid = (param: string, reason: string): GatewayError =>
  new GatewayError("invalid_request", `${param}: ${reason}`, { param });
