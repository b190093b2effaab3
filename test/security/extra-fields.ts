import type { Route } from "../../src/http/route.ts";
import { MASTER_KEY } from "../app.ts";
import type { Dump, Row } from "./peek.ts";
import { pathWith, queryWith, sampleOf } from "./samples.ts";
import { browserHeaders, TENANT_ROLES, type Tenant, type World } from "./world.ts";

export const WRITERS = [...TENANT_ROLES, "platform admin", "master key"] as const;
type Writer = (typeof WRITERS)[number];

/** What somebody would like to slip in. Each name has two values, since one of them may be what the column has anyway. */
type Hostile = Readonly<Record<string, unknown>>;

const spelled = new Map<string, string>();

/** Kept, for the thousand columns are asked about for every call. */
function camel(name: string): string {
  const known = spelled.get(name);
  if (known !== undefined) return known;
  const made = name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  spelled.set(name, made);
  return made;
}

/** Every column of every table in both spellings, but for what the route documents as its own. */
async function hostileFields(world: World, victim: Tenant, route: Route, variant: 0 | 1): Promise<Hostile> {
  const documented = new Set(
    Object.keys((route.body as { properties?: object } | undefined)?.properties ?? {}).flatMap((name) => [
      name,
      camel(name),
    ]),
  );
  const fields: Record<string, unknown> = {};
  const known = hostileValues(victim, variant);
  for (const [table, columns] of await world.columns) {
    for (const column of columns) {
      const other = camel(column);
      if (documented.has(column) || documented.has(other)) continue;
      const isPerson = table === "users" && column === "id";
      const value = isPerson ? victim.people.owner.id : (known[column] ?? otherValue(column));
      fields[column] = value;
      fields[other] = value;
    }
    // Whole rows, and what other programs call such things.
    if (!documented.has(table)) fields[camel(table)] = [{ role: "owner", status: "active" }];
  }
  const also = {
    isAdmin: true,
    is_admin: true,
    admin: true,
    permissions: ["*"],
    password: "hostile-password-1",
    balance: 1e9,
  };
  for (const [name, value] of Object.entries(also)) if (!documented.has(name)) fields[name] = value;
  return fields;
}

function hostileValues({ organizationId, teamId, people }: Tenant, variant: 0 | 1): Hostile {
  return {
    role: variant === 0 ? "admin" : "owner",
    status: variant === 0 ? "disabled" : "blocked",
    blocked_reason: variant === 0 ? "balance" : "admin",
    actor: "system",
    organization_id: organizationId,
    team_id: teamId,
    user_id: people.owner.id,
    owner_id: people.owner.id,
    created_by: people.owner.id,
    id: "hostile-id",
    models: ["hostile-model"],
    tags: ["hostile-tag"],
    allowed_ips: ["203.0.113.99"],
    metadata: { hostile: "hostile-metadata" },
    details: { hostile: "hostile-details" },
    budget_window: "hour",
    email: `hostile-${crypto.randomUUID()}@security.test`,
  };
}

function otherValue(column: string): unknown {
  if (/_at$|_until$|^at$/.test(column)) return 4_102_444_800_123;
  if (/limit$|budget|days$/.test(column)) return 3_133;
  return `hostile-${column}`;
}

interface Change {
  readonly where: string;
  readonly values: readonly (readonly [string, unknown])[];
}

/** What differs between two dumps, row by row. */
function changesBetween(before: Dump, after: Dump): Change[] {
  return Object.keys(after).flatMap((table) => {
    if (after[table] === before[table]) return [];
    const was = rowsBut(before[table], after[table]);
    const is = rowsBut(after[table], before[table]);
    const changes: Change[] = [];
    for (const [id, row] of is) {
      const old = was.get(id);
      if (!old)
        changes.push({
          where: RUNNING.has(table) ? table : `${table} insert`,
          values: Object.entries(row).map(([c, v]) => [`${table}.${c}`, v]),
        });
      else {
        const columns = Object.keys(row).filter((column) => !Bun.deepEquals(row[column], old[column]));
        if (columns.length > 0) {
          changes.push({
            where: RUNNING.has(table) ? table : `${table} update ${columns.sort()}`,
            values: columns.map((c) => [`${table}.${c}`, row[c]]),
          });
        }
      }
    }
    for (const id of was.keys()) if (!is.has(id)) changes.push({ where: `${table} delete`, values: [] });
    return changes;
  });
}

/** The rows of a table by their identities, without those that stand in another list of them as well. */
function rowsBut(rows: readonly Row[] = [], others: readonly Row[] = []): ReadonlyMap<string, Row> {
  const unchanged = new Set(others);
  return new Map(rows.flatMap((row) => (unchanged.has(row) ? [] : [[identityOf(row), row] as const])));
}

/** Written by the first call that needs it, for all later ones. */
const ONCE: ReadonlySet<string> = new Set(["price_versions insert"]);

/** A row of sums is told from others by what it is the sum of; how long things took is different each time. */
const NO_TIMES = { last_at: 0, latency_ms: 0, first_byte_ms: 0 };
const plain = (_: string, value: unknown): unknown => (typeof value === "bigint" ? String(value) : value);

/** What is slipped in for these is a text; a number is a time that was taken, and may be that of somebody's id by chance. */
const isMeasured = (name: string, value: unknown): boolean =>
  name.slice(name.indexOf(".") + 1) in NO_TIMES && typeof value !== "string";

/** What the program carries on by itself: whether a call begins a row of it or goes on with one tells nothing. */
const RUNNING: ReadonlySet<string> = new Set(["leases", "ledger_accounts"]);

/** Labels that a caller puts on its own calls; they are kept for it and mean nothing to the program. */
const LABELS: ReadonlySet<string> = new Set(["usage_log.tags", "usage_log.metadata"]);

const identityOf = (row: Row): string =>
  String(
    row.id ??
      (row.run_id !== undefined ? `${row.run_id}/${row.number}` : undefined) ??
      (row.fired_at !== undefined ? `${row.organization_id}/${row.threshold}` : undefined) ??
      (row.entry_id !== undefined ? `${row.entry_id}/${row.account_id}` : undefined) ??
      (row.last_at !== undefined ? JSON.stringify({ ...row, ...NO_TIMES }, plain) : undefined) ??
      (row.pot !== undefined ? `${row.pot}/${row.owner}` : undefined) ??
      (row.name !== undefined && row.value !== undefined
        ? row.name
        : `${row.organization_id ?? row.team_id}/${row.user_id}`),
  );

/** The fields by body. A route that needs no credentials takes bodies of 16 KiB, so its fields are sent in parts. */
function partsOf(fields: Hostile, { auth }: Route): Hostile[] {
  if (auth !== "none") return [fields];
  const entries = Object.entries(fields);
  const size = Math.ceil(entries.length / Math.ceil(JSON.stringify(fields).length / PART_CHARS_MAX));
  const parts = Array.from({ length: Math.ceil(entries.length / size) }, (_, at) => at * size);
  return parts.map((from) => Object.fromEntries(entries.slice(from, from + size)));
}

const PART_CHARS_MAX = 12 * 1024;

/** A write with and without the extra fields: both change the same columns, and nothing that was slipped in is stored. */
export async function extraFieldFaults(
  world: World,
  { attacker, victim }: { readonly attacker: Tenant; readonly victim: Tenant },
  route: Route,
  writer: Writer,
): Promise<{ readonly status: number; readonly faults: string[] }> {
  const faults: string[] = [];
  const operator = writer === "platform admin" ? await world.newPerson("admin") : null;
  const send = async (extra: Hostile) => {
    const role = writer === "master key" || writer === "platform admin" ? "owner" : writer;
    const userId = operator?.id ?? attacker.people[role].id;
    const { params = {}, query: own, body, headers, fromBrowser } = await sampleOf(world, attacker, route, userId);
    const session = writer === "master key" ? null : await world.newSession(userId);
    const credential =
      session && fromBrowser ? { headers: browserHeaders(session) } : { key: session?.token ?? MASTER_KEY };
    const scalars = Object.entries(extra).filter(([, value]) => typeof value !== "object");
    const query = queryWith(own, Object.fromEntries(scalars.map(([n, v]) => [n, String(v)])));
    const before = await world.dump();
    const json = { ...body, ...extra };
    const answer = await world.call(pathWith(route.paths[0], params) + query, {
      method: route.method,
      ...credential,
      ...(headers ? { headers } : {}),
      ...(body || Object.keys(extra).length > 0 ? { json } : {}),
    });
    // What the call used is written a moment later.
    await world.app.service.flush();
    return { answer, changes: changesBetween(before, await world.dump()) };
  };
  const control = await send({});
  const usual = new Set(control.changes.map(({ where }) => where));
  const usualValues = new Set(
    control.changes.flatMap(({ values }) => values.map(([name, value]) => `${name}=${value}`)),
  );
  // A writer who is rejected in any case is rejected before a field is read: one set of values is enough.
  const variants = control.answer.status < 300 ? ([0, 1] as const) : ([0] as const);
  const all = await Promise.all(variants.map((variant) => hostileFields(world, victim, route, variant)));
  for (const hostile of all.flatMap((fields) => partsOf(fields, route))) {
    const marked = new Set<unknown>(
      Object.values(hostile).map((value) => (typeof value === "object" ? JSON.stringify(value) : value)),
    );
    const { answer, changes } = await send(hostile);
    const cell = `${route.method} ${route.paths[0]} as ${writer}`;
    const isRefused = (answer.status === 400 || answer.status === 422) && changes.length === 0;
    if (answer.status !== control.answer.status && !isRefused) {
      faults.push(`${cell}: ${control.answer.status} became ${answer.status} ${answer.text}`);
    }
    for (const { where, values } of changes) {
      if (!usual.has(where)) faults.push(`${cell}: changed ${where}`);
      for (const [name, value] of values) {
        const isOurs = usualValues.has(`${name}=${value}`);
        const isHostile = marked.has(value) || (typeof value === "string" && /hostile|203\.0\.113\.99/.test(value));
        if (isHostile && !isOurs && !LABELS.has(name) && !isMeasured(name, value))
          faults.push(`${cell}: stored ${name} = ${value}`);
      }
    }
    if (!isRefused) {
      const missed = [...usual].filter(
        (where) => !ONCE.has(where) && !changes.some((change) => change.where === where),
      );
      if (missed.length > 0) faults.push(`${cell}: no longer changed ${missed}`);
    }
  }
  return { status: control.answer.status, faults };
}
