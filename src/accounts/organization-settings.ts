import { GatewayError } from "../contract/errors.ts";
import { type Authority, requireOperator } from "./authority.ts";
import { cleanName } from "./clean-name.ts";
import { requireFitting } from "./fitting-budgets.ts";
import { readMetadata } from "./keys-settings.ts";
import { findShared, type LimitSettings, readLimits } from "./limit-settings.ts";
import { readAddresses } from "./read-addresses.ts";
import type { Organization } from "./records.ts";
import type { AccountStores } from "./store.ts";

/** What may be set of an organization. What is left out stays as it is; null empties a field. */
export interface OrganizationChanges extends LimitSettings {
  readonly name?: string | undefined;
  readonly billingEmail?: string | null | undefined;
  readonly timezone?: string | undefined;
  readonly dataRetentionDays?: number | null | undefined;
  readonly storePrompts?: boolean | undefined;
  readonly allowedIps?: readonly string[] | null | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
  readonly models?: readonly string[] | null | undefined;
  readonly billing?: Organization["billing"] | undefined;
  readonly status?: Organization["status"] | undefined;
}

/** What whoever runs the installation allows it. The budget is its own people's; one that they cannot raise is a `budgetId`. */
const OPERATORS = [
  "models",
  "billing",
  "status",
  "rpmLimit",
  "tpmLimit",
  "parallelLimit",
  "budgetId",
] as const satisfies readonly (keyof OrganizationChanges)[];

/** Only what was named; the fields are picked one by one, whatever else came with them. */
export async function readOrganization(
  stores: AccountStores,
  authority: Authority,
  changes: OrganizationChanges,
  present: Organization,
): Promise<Partial<Organization>> {
  for (const field of OPERATORS) if (changes[field] !== undefined) requireOperator(authority, field);
  const {
    name,
    billingEmail,
    timezone,
    dataRetentionDays,
    storePrompts,
    allowedIps,
    metadata,
    models,
    billing,
    status,
  } = changes;
  const shared = await findShared(stores, authority, changes);
  requireFitting(shared, "organizations");
  return {
    ...readLimits(changes, present, shared),
    ...(name === undefined ? {} : { name: cleanName(name) }),
    ...(billingEmail === undefined ? {} : { billingEmail: billingEmail?.trim().toLowerCase() ?? null }),
    ...(timezone === undefined ? {} : { timezone: cleanTimezone(timezone) }),
    ...(dataRetentionDays === undefined ? {} : { dataRetentionDays }),
    ...(storePrompts === undefined ? {} : { storePrompts }),
    ...(allowedIps === undefined ? {} : { allowedIps: readAddresses(allowedIps ?? []) }),
    ...(metadata === undefined ? {} : { metadata: readMetadata(metadata ?? {}) }),
    ...(models === undefined ? {} : { models: [...new Set(models ?? [])] }),
    ...(billing === undefined ? {} : { billing }),
    ...(status === undefined ? {} : { status }),
  };
}

/** In its usual spelling. A bare offset is refused: it knows no summer time. */
function cleanTimezone(timezone: string): string {
  try {
    if (/^[a-z]/i.test(timezone))
      return new Intl.DateTimeFormat("en", { timeZone: timezone }).resolvedOptions().timeZone;
  } catch {
    // Falls through: an unknown name is told like a wrong one.
  }
  throw new GatewayError("invalid_request", "timezone: use an IANA name such as `Europe/Berlin`.", {
    param: "timezone",
  });
}
