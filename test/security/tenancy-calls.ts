import { newKey } from "../../src/accounts/key-format.ts";
import { parameterNames } from "../../src/http/path.ts";
import type { Route } from "../../src/http/route.ts";
import type { CallInit } from "../app.ts";
import { checksum, type Dump, type Row } from "./peek.ts";
import { pathWith, queryWith, type Sample, sampleOf } from "./samples.ts";
import { type Seen, TENANT_ROLES, type Tenant, type TenantRole, type World } from "./world.ts";

export interface IdParameter {
  readonly place: "path" | "query" | "body" | "header";
  readonly name: string;
}

const IS_ID = /^id$|Id$|_id$|_ids$|^apiKey$|^token$|^keys?$|^key_hash$|^teams$|^organizations$|^budgets$/;
type Schema = { readonly description?: string; readonly anyOf?: readonly Schema[]; readonly type?: string };
const isList = (schema: Schema | undefined): boolean =>
  schema?.type === "array" || (schema?.anyOf ?? []).some((branch) => isList(branch));
/** Not taken at all, so it names nothing. */
const isServed = (schema: Schema): boolean => !schema.description?.startsWith("Not served");
const HEADER: IdParameter = { place: "header", name: "x-organization-id" };
const schemasOf = (schema: unknown): Record<string, Schema> =>
  (schema as { properties?: Record<string, Schema> } | undefined)?.properties ?? {};
const propertiesOf = (schema: unknown): string[] =>
  Object.entries(schemasOf(schema)).flatMap(([name, property]) => (isServed(property) ? [name] : []));

/** Secrets of other programs, which are only kept here, and names that an organization has for its own customers: they name nothing of ours. */
const OTHERS_OWN =
  /^(\/api\/training\/participants(\/{id})? token|\/customer\/\w+ (user_ids?|end_user_id)|\/api\/end-users(\/{id})? id)$/;

/** What names something in a call of a route: found in its declaration, and in what its handler reads. */
export async function idParameters(world: World, tenant: Tenant, route: Route): Promise<IdParameter[]> {
  const named = (place: IdParameter["place"], names: readonly string[]) => names.map((name) => ({ place, name }));
  const isOthers = (name: string): boolean => OTHERS_OWN.test(`${route.paths[0]} ${name}`);
  const isOurs = (name: string): boolean => IS_ID.test(name) && !isOthers(name);
  return [
    ...named(
      "path",
      parameterNames(route.paths[0]).filter((name) => !isOthers(name)),
    ),
    ...named("query", propertiesOf(route.query).filter(isOurs)),
    ...named("body", propertiesOf(route.body).filter(isOurs)),
    ...((await readsHeader(world, tenant, route)) ? [HEADER] : []),
  ];
}

/** Whether the handler looks at the header that names an organization. The sample is spent on finding out. */
async function readsHeader(world: World, tenant: Tenant, route: Route): Promise<boolean> {
  if (route.auth !== "session") return false;
  const { token } = await world.newSession(tenant.people.owner.id);
  const { params = {}, body } = withoutIds(await sampleOf(world, tenant, route, tenant.people.owner.id));
  const request = new Request(`http://turnpike.test${pathWith(route.paths[0], params)}`, {
    method: route.method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: body === undefined ? null : JSON.stringify(body),
  });
  let wasRead = false;
  const get = request.headers.get.bind(request.headers);
  const spy = (name: string) => {
    if (name.toLowerCase() === HEADER.name) wasRead = true;
    return get(name);
  };
  Object.defineProperty(request.headers, "get", { value: spy });
  const connection = { keepOpen: () => undefined, release: () => undefined, remoteAddress: "127.0.0.1" };
  await (await world.app.service.dispatcher.handle(request, connection)).text();
  return wasRead;
}

/** A call that names nothing but, maybe, an organization in its header; its paths name what does not exist. */
const withoutIds = ({ params, body }: Sample): Sample => ({
  ...(params ? { params: Object.fromEntries(Object.keys(params).map((name) => [name, crypto.randomUUID()])) } : {}),
  ...(body
    ? { body: { ...Object.fromEntries(Object.entries(body).filter(([name]) => name !== "id")), ...WRONG_PASSWORDS } }
    : {}),
});

/** A right one may end the sessions that the other calls are made with, which are under way at the same time. */
const WRONG_PASSWORDS = { currentPassword: "no", password: "no" };

/** One thing of each type, and something of the same look that does not exist. */
const thingsOf = (tenant: Tenant): readonly (readonly [string, string | number, string | number])[] => [
  ["organization", tenant.organizationId, crypto.randomUUID()],
  ["team", tenant.teamId, crypto.randomUUID()],
  ["key", tenant.key.id, crypto.randomUUID()],
  ["key handle", tenant.key.handle, "f".repeat(64)],
  ["key value", tenant.key.value, MISSING_KEY],
  ["invitation", tenant.invitation.id, crypto.randomUUID()],
  ["session", tenant.people.owner.sessionId, crypto.randomUUID()],
  ["user id", tenant.people.member.id, 2_147_483_600],
  ["user id as text", String(tenant.people.member.id), "2147483600"],
];
const MISSING_KEY = newKey();

const sameName = (a: string, b: string): boolean =>
  a.replaceAll("_", "").toLowerCase() === b.replaceAll("_", "").toLowerCase();

/** The sample with one parameter replaced; the other spelling of the same parameter goes, so that it cannot win. */
function callWith(route: Route, sample: Sample, parameter: IdParameter & { value: string | number }, token: string) {
  const { value } = parameter;
  const params = { ...sample.params };
  const body = sample.body ? { ...sample.body } : undefined;
  const headers: Record<string, string> = { authorization: `Bearer ${token}` };
  const query: Record<string, string> = { ...sample.query };
  if (parameter.place === "path") params[parameter.name] = String(value);
  if (parameter.place === "query") query[parameter.name] = String(value);
  if (parameter.place === "header") {
    headers[parameter.name] = String(value);
    // A body's own `id` goes before the header.
    if (body) delete body.id;
  }
  if (parameter.place === "body" && body) {
    for (const name of Object.keys(body)) if (sameName(name, parameter.name)) delete body[name];
    body[parameter.name] = isList(schemasOf(route.body)[parameter.name]) ? [value] : value;
  }
  const init: CallInit = { method: route.method, headers, ...(body ? { json: body } : {}) };
  return { path: pathWith(route.paths[0], params) + queryWith(query), init };
}

export interface TenancyReport {
  readonly faults: string[];
  /** How often a foreign id was answered with 404, or with the 403 of who may not use the operation at all. */
  readonly hidden: number;
}

/** Sends one parameter of a route with every id that the victim has, in every role of the attacker. */
export async function tenancyFaults(
  world: World,
  { attacker, victim }: { readonly attacker: Tenant; readonly victim: Tenant },
  { route, parameter, roles = TENANT_ROLES }: TenancyCase,
): Promise<TenancyReport> {
  const faults: string[] = [];
  let hidden = 0;
  const before = rowsOf(await world.dump(), victim);
  for (const role of roles) {
    const send = senderOf(world, { attacker, role, route, parameter });
    // Missing ids of one form get the same response.
    const controls = new Map<string, Seen>();
    for (const [type, foreign, missing] of thingsOf(victim)) {
      const form = JSON.stringify(missing).replace(/[0-9a-f]/g, "0");
      const control = controls.get(form) ?? (await send(missing));
      // A call that succeeded may have changed what the next one finds.
      if (control.status >= 400) controls.set(form, control);
      const response = await send(foreign);
      const cell = `${route.method} ${route.paths[0]} as ${role}: ${parameter.place} ${parameter.name} = foreign ${type}`;
      const fault = faultOf(response, control);
      if (fault !== null) faults.push(`${cell}: ${fault}`);
      else if (isHidden(response, route, parameter)) hidden++;
      else if (response.status !== 400 && response.status !== 422)
        faults.push(`${cell}: ${response.status} ${response.text}`);
      for (const secret of marksOf(victim)) {
        if (String(foreign) !== secret && response.text.includes(secret))
          faults.push(`${cell}: the response contains ${secret}`);
      }
    }
  }
  const after = rowsOf(await world.dump(), victim);
  if (checksum(after) !== checksum(before)) faults.push(`${route.method} ${route.paths[0]}: the victim's rows changed`);
  return { faults, hidden };
}

export interface TenancyCase {
  readonly route: Route;
  readonly parameter: IdParameter;
  readonly roles?: readonly TenantRole[];
}

interface Sender extends TenancyCase {
  readonly attacker: Tenant;
  readonly role: TenantRole;
}

/** Makes a new session and sample only when a call has used them up: most calls are rejected. */
function senderOf(world: World, { attacker, role, route, parameter }: Sender) {
  let unused: { readonly token: string; readonly sample: Sample } | null = null;
  const { id } = attacker.people[role];
  return async (value: string | number): Promise<Seen> => {
    const { token, sample } = unused ?? {
      token: (await world.newSession(id)).token,
      sample: await sampleOf(world, attacker, route, id),
    };
    const { path, init } = callWith(route, sample, { ...parameter, value }, token);
    const seen = await world.call(path, init);
    unused = seen.status >= 400 && seen.status !== 401 ? { token, sample } : null;
    return seen;
  };
}

function faultOf(response: Seen, control: Seen): string | null {
  if (response.status === control.status && response.text === control.text) return null;
  return `${response.status} ${response.text}, but ${control.status} ${control.text} for a missing id`;
}

/** The response has been compared with that for a missing id, so a narrowed list that is 200 found nothing. */
const isHidden = ({ status }: Seen, route: Route, parameter: IdParameter): boolean =>
  status === 404 ||
  (status === 403 && mayBeForbidden(route, parameter)) ||
  (status === 200 && NARROWING.has(nameIn(route, parameter)));

/**
 * Whoever may not use the operation at all is told so before anything is looked up: operators' routes, and a person's id within
 * the caller's own organization or team. That it is the same for what does not exist has been compared.
 */
const mayBeForbidden = (route: Route, parameter: IdParameter): boolean =>
  route.auth === "admin" ||
  /^((user|member)_?id|budget_id)$/i.test(parameter.name) ||
  NARROWING.has(nameIn(route, parameter)) ||
  BROUGHT.has(nameIn(route, parameter));

const nameIn = (route: Route, { name }: IdParameter): string => `${route.method} ${route.paths[0]} ${name}`;

/** They narrow the list of the caller's own organization, which the path names; what they name may be gone since. */
const NARROWING = new Set(
  ["audit-logs", "audit-logs/export"].flatMap((list) => [
    `GET /api/gw/organizations/{id}/${list} userId`,
    `GET /api/gw/organizations/{id}/${list} targetId`,
  ]),
);

/** Ids and values that only the operator brings along: they name nothing that is there. */
const BROUGHT = new Set(["POST /key/generate key", "POST /key/service-account/generate key", "POST /team/new team_id"]);

const marksOf = ({ organizationId, teamId, key, invitation, people }: Tenant): string[] => [
  organizationId,
  teamId,
  invitation.id,
  invitation.email,
  key.id,
  key.handle,
  ...Object.values(people).flatMap(({ email, sessionId }) => [email, sessionId]),
];

const PERSON_COLUMNS = ["user_id", "owner_id", "created_by", "invited_by", "accepted_by"];

/** What was looked through for a tenant, list by list: a later dump has the same lists where nothing was changed. */
const lookedThrough = new WeakMap<Tenant, WeakMap<readonly Row[], readonly Row[]>>();

/** Everything in the database that says something about the tenant. */
export function rowsOf(dump: Dump, tenant: Tenant): Dump {
  const known = lookedThrough.get(tenant) ?? new WeakMap<readonly Row[], readonly Row[]>();
  lookedThrough.set(tenant, known);
  const concerns = concerning(tenant);
  const found = Object.entries(dump).map(([table, rows]) => {
    const chosen = known.get(rows) ?? rows.filter((row) => concerns(table, row));
    known.set(rows, chosen);
    return [table, chosen] as const;
  });
  return Object.fromEntries(found);
}

function concerning(tenant: Tenant): (table: string, row: Row) => boolean {
  const marks = marksOf(tenant);
  const people = new Set(Object.values(tenant.people).map(({ id }) => id));
  return (table, row) =>
    Object.entries(row).some(([column, value]) =>
      typeof value === "string"
        ? marks.some((mark) => value.includes(mark))
        : (PERSON_COLUMNS.includes(column) || (table === "users" && column === "id")) && people.has(Number(value)),
    );
}
