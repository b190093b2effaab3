export interface AuditEntry {
  readonly id: string;
  readonly at: string;
  readonly actor: "user" | "master_key" | "system";
  readonly userId: number | null;
  readonly action: string;
  readonly targetType: string;
  readonly targetId: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly address: string | null;
  /** Null until the row is sealed. */
  readonly hash: string | null;
}

export interface ChangedField {
  readonly name: string;
  readonly from: unknown;
  readonly to: unknown;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * What a change has changed. The log has it in three forms: from and to by field, the fields with those of before beside
 * them, and a role alone.
 */
export function changedFields({ details }: AuditEntry): readonly ChangedField[] {
  const { changes, before } = details;
  if (isObject(changes)) {
    return Object.entries(changes).map(([name, change]) =>
      isObject(change) ? { name, from: change.from, to: change.to } : { name, from: undefined, to: change },
    );
  }
  if (isObject(before)) {
    return Object.entries(before)
      .map(([name, from]) => ({ name, from, to: details[name] }))
      .filter(({ from, to }) => JSON.stringify(from) !== JSON.stringify(to));
  }
  return "from" in details && "to" in details ? [{ name: "role", from: details.from, to: details.to }] : [];
}

/** What else is told: everything that the list of changed fields does not show. */
export function otherDetails(entry: AuditEntry): readonly (readonly [string, unknown])[] {
  const shown = new Set(["changes", "before", ...changedFields(entry).map(({ name }) => name)]);
  if (shown.has("role")) for (const name of ["from", "to"]) shown.add(name);
  const same = isObject(entry.details.before) ? Object.keys(entry.details.before) : [];
  return Object.entries(entry.details).filter(([name]) => !shown.has(name) && !same.includes(name));
}
