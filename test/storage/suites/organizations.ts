import { describe, expect, test } from "bun:test";
import type { Organization, OrganizationMember } from "../../../src/accounts/records.ts";
import { AT, newOrganization, newUser, unique } from "../new-records.ts";
import { rejection } from "../rejection.ts";
import type { StoreBench } from "../store-bench.ts";

/** Everything but who it is, with values at the edges. */
const LIMITED: Partial<Organization> = {
  billing: "invoiced",
  status: "blocked",
  budget: 2n ** 63n - 1n,
  softBudget: 2n ** 53n + 1n,
  budgetWindow: "month",
  rpmLimit: 0,
  tpmLimit: 2 ** 31 - 1,
  parallelLimit: 1,
  models: ["größe", "a*"],
  metadata: { cost_center: "42", nested: { a: [1] } },
  storePrompts: true,
  allowedIps: ["10.0.0.0/8"],
};

export function organizationSuite(bench: StoreBench): void {
  async function join(
    organizationId: string,
    userId: number,
    role: OrganizationMember["role"] = "member",
  ): Promise<OrganizationMember> {
    const member = { organizationId, userId, role, joinedAt: AT + 5 };
    await bench.stores.organizationMembers.insert(member);
    return member;
  }

  describe("organizations", () => {
    test("an organization is found as it was stored", async () => {
      const bare = await bench.storedOrganization();
      const full = await bench.storedOrganization({
        ...LIMITED,
        billingEmail: "bills@example.com",
        dataRetentionDays: 90,
      });
      expect(await bench.stores.organizations.find(bare.id)).toEqual(bare);
      expect(await bench.stores.organizations.find(full.id)).toEqual(full);
      expect(await bench.stores.organizations.find("org_none")).toBeNull();
    });

    test("a slug is taken once", async () => {
      const [first, second] = [await bench.storedOrganization(), await bench.storedOrganization()];
      const twin = newOrganization(first.ownerId, { slug: first.slug });
      expect(await rejection(bench.stores.organizations.insert(twin))).toMatchObject({ kind: "conflict" });
      const update = bench.stores.organizations.update(second.id, { slug: first.slug });
      expect(await rejection(update)).toMatchObject({ kind: "conflict" });
    });

    test("an owner who does not exist is refused", async () => {
      expect(await rejection(bench.stores.organizations.insert(newOrganization(987_654)))).toHaveProperty(
        "message",
        expect.stringMatching(/foreign key/i),
      );
    });

    test("an update changes what it names and nothing else", async () => {
      const { organizations } = bench.stores;
      const [organization, other] = [await bench.storedOrganization(), await bench.storedOrganization()];
      const owner = await bench.storedUser();
      const changes = {
        name: "New",
        slug: unique("slug"),
        ownerId: owner.id,
        billingEmail: "b@example.com",
        billingEmailVerifiedAt: AT + 40,
        timezone: "Asia/Tokyo",
        dataRetentionDays: 30,
        ...LIMITED,
        updatedAt: AT + 50,
      };
      await organizations.update(organization.id, changes);
      expect(await organizations.find(organization.id)).toEqual({ ...organization, ...changes });
      await organizations.update(organization.id, { billingEmail: null, dataRetentionDays: null });
      await organizations.update(organization.id, {});
      const cleared = { ...organization, ...changes, billingEmail: null, dataRetentionDays: null };
      expect(await organizations.find(organization.id)).toEqual(cleared);
      await organizations.update(organization.id, { ...cleared, id: "org_other", createdAt: 1 } as Organization);
      expect(await organizations.find(organization.id)).toEqual(cleared);
      expect(await organizations.find(other.id)).toEqual(other);
    });

    test("a way to pay or a state outside the list is refused by the database", async () => {
      for (const wrong of [{ billing: "barter" }, { status: "asleep" }, { budgetWindow: "year" }]) {
        const refused = bench.storedOrganization(wrong as unknown as Partial<Organization>);
        expect(await rejection(refused)).toHaveProperty("message", expect.stringMatching(/check/i));
      }
    });

    test("a removed organization is gone with its teams, and no other", async () => {
      const [team, other] = [await bench.storedTeam(), await bench.storedTeam()];
      await bench.stores.organizations.remove(team.organizationId);
      expect(await bench.stores.organizations.find(team.organizationId)).toBeNull();
      expect(await bench.stores.teams.find(team.id)).toBeNull();
      expect(await bench.stores.teams.find(other.id)).toEqual(other);
    });

    test("all of them are listed by id, searched by name or slug, in pages", async () => {
      const mark = unique("Listed");
      const made: Organization[] = [];
      for (let n = 0; n < 3; n++) made.push(await bench.storedOrganization({ name: `${mark} ${n}`, ...LIMITED }));
      made.push(await bench.storedOrganization({ slug: `by-${mark}` }));
      made.sort((a, b) => (a.id < b.id ? -1 : 1));
      const { organizations } = bench.stores;
      const search = mark.toUpperCase();
      expect(await organizations.list({ search }, { page: 1, pageSize: 3 })).toEqual({
        rows: made.slice(0, 3),
        total: 4,
      });
      expect(await organizations.list({ search }, { page: 2, pageSize: 3 })).toEqual({ rows: made.slice(3), total: 4 });
      const everything = await organizations.list({}, { page: 1, pageSize: 1000 });
      expect(everything.rows).toContainEqual(made[0] as Organization);
      expect(everything.total).toBe(everything.rows.length);
    });

    test("those of a user come by name, with the user's role", async () => {
      const user = await bench.storedUser();
      const [zebra, apple, ether] = [
        await bench.storedOrganization({ name: "Zebra" }),
        await bench.storedOrganization({ name: "apple" }),
        await bench.storedOrganization({ name: "Éther" }),
      ];
      await bench.storedOrganization({ name: "Not a member", ownerId: user.id });
      await join(zebra.id, user.id, "viewer");
      await join(ether.id, user.id, "owner");
      await join(apple.id, user.id, "admin");
      expect(await bench.stores.organizations.listOf(user.id)).toEqual([
        { organization: apple, role: "admin" },
        { organization: ether, role: "owner" },
        { organization: zebra, role: "viewer" },
      ]);
      expect(await bench.stores.organizations.listOf(987_654)).toEqual([]);
    });
  });

  describe("members of an organization", () => {
    test("a member is found as it was stored, and added once", async () => {
      const { id, ownerId } = await bench.storedOrganization();
      const member = await join(id, ownerId, "owner");
      expect(await bench.stores.organizationMembers.find(id, ownerId)).toEqual(member);
      expect(await bench.stores.organizationMembers.find(id, 987_654)).toBeNull();
      expect(await bench.stores.organizationMembers.find("org_none", ownerId)).toBeNull();
      expect(await rejection(join(id, ownerId, "viewer"))).toMatchObject({ kind: "conflict" });
    });

    test("a role is set for one member of one organization", async () => {
      const [one, two] = [await bench.storedOrganization(), await bench.storedOrganization()];
      const user = await bench.storedUser();
      const here = await join(one.id, user.id);
      const [there, colleague] = [await join(two.id, user.id), await join(one.id, one.ownerId)];
      const { organizationMembers } = bench.stores;
      await organizationMembers.setRole(one.id, user.id, "admin");
      expect(await organizationMembers.find(one.id, user.id)).toEqual({ ...here, role: "admin" });
      expect(await organizationMembers.find(two.id, user.id)).toEqual(there);
      expect(await organizationMembers.find(one.id, one.ownerId)).toEqual(colleague);
    });

    test("who leaves an organization leaves its teams, and no others", async () => {
      const [organization, other] = [await bench.storedOrganization(), await bench.storedOrganization()];
      const [left, alsoLeft, kept] = [
        await bench.storedTeam({ organizationId: organization.id }),
        await bench.storedTeam({ organizationId: organization.id }),
        await bench.storedTeam({ organizationId: other.id }),
      ];
      const [user, colleague] = [await bench.storedUser(), await bench.storedUser()];
      const { organizationMembers, teamMembers } = bench.stores;
      for (const { id } of [user, colleague]) {
        for (const organizationId of [organization.id, other.id]) await join(organizationId, id);
        for (const { id: teamId } of [left, alsoLeft, kept]) {
          await teamMembers.insert({ teamId, userId: id, role: "member", joinedAt: AT });
        }
      }
      await organizationMembers.remove(organization.id, user.id);
      expect(await organizationMembers.find(organization.id, user.id)).toBeNull();
      expect(await teamMembers.listTeamsOf(organization.id, user.id)).toEqual([]);
      expect(await organizationMembers.find(other.id, user.id)).not.toBeNull();
      expect(await teamMembers.listTeamsOf(other.id, user.id)).toHaveLength(1);
      expect(await teamMembers.listTeamsOf(organization.id, colleague.id)).toHaveLength(2);
      await organizationMembers.remove(organization.id, user.id);
    });

    test("a removal within a transaction is taken back with it", async () => {
      const team = await bench.storedTeam();
      const user = await bench.storedUser();
      const member = await join(team.organizationId, user.id);
      await bench.stores.teamMembers.insert({ teamId: team.id, userId: user.id, role: "member", joinedAt: AT });
      const work = bench.stores.transaction(async (inner) => {
        await inner.organizationMembers.remove(team.organizationId, user.id);
        expect(await inner.teamMembers.find(team.id, user.id)).toBeNull();
        throw new Error("second thoughts");
      });
      expect(await rejection(work)).toHaveProperty("message", "second thoughts");
      expect(await bench.stores.organizationMembers.find(team.organizationId, user.id)).toEqual(member);
      expect(await bench.stores.teamMembers.find(team.id, user.id)).not.toBeNull();
    });

    test("the list is by name and shows who they are", async () => {
      const organization = await bench.storedOrganization();
      for (const name of ["Zoe", "anna", "Émile", "Bert", "anna"]) {
        await join(organization.id, (await bench.stores.users.insert(newUser({ name }))).id, "viewer");
      }
      const members = await bench.stores.organizationMembers.list(organization.id);
      expect(members.map((member) => member.name)).toEqual(["anna", "anna", "Bert", "Émile", "Zoe"]);
      const [first, second] = members;
      expect(Number(first?.userId)).toBeLessThan(Number(second?.userId));
      const user = await bench.stores.users.find(Number(first?.userId));
      expect(first).toEqual({
        userId: Number(user?.id),
        externalId: null,
        email: String(user?.email),
        name: "anna",
        role: "viewer",
        joinedAt: AT + 5,
      });
      expect(await bench.stores.organizationMembers.list("org_none")).toEqual([]);
    });
  });
}
