import { afterAll } from "bun:test";
import type { OrganizationRole } from "../../src/accounts/records.ts";
import type { DATABASES } from "../storage/databases.ts";
import { newPerson, type Person, startAppOn } from "./people.ts";

export interface Organization {
  id: string;
  name: string;
  ownerId: number;
  role: string;
  updatedAt: string;
}

/** An organization with somebody of each role, and somebody who is not in it. */
export async function startOrganization(kind: (typeof DATABASES)[number]["kind"]) {
  const app = await startAppOn(kind);
  afterAll(() => app.close());
  const { accounts } = app.storage;

  const list = async (person: Person) =>
    ((await person.send("GET", "/api/gw/organizations/list")).body as { data: Organization[] }).data;
  const join = (organizationId: string, person: Person, role: OrganizationRole) =>
    accounts.organizationMembers.insert({ organizationId, userId: person.id, role, joinedAt: Date.now() });
  const roleOf = async (organizationId: string, person: Person) =>
    (await accounts.organizationMembers.find(organizationId, person.id))?.role ?? null;
  const auditOf = async (organizationId: string) =>
    (await accounts.audit.list({ organizationId }, { page: 1, pageSize: 100 })).rows;

  const owner = await newPerson(app);
  const stranger = await newPerson(app);
  const byRole = {
    owner,
    admin: await newPerson(app),
    member: await newPerson(app),
    viewer: await newPerson(app),
    stranger,
  };
  for (const role of ["admin", "member", "viewer"] as const) await join(owner.ownId, byRole[role], role);
  const home = owner.ownId;
  const membersPath = `/api/gw/organizations/${home}/members`;
  return { app, accounts, list, join, roleOf, auditOf, owner, stranger, byRole, home, membersPath };
}
