import { describe, expect, test } from "bun:test";
import type { OrganizationRole } from "../../src/accounts/records.ts";
import { DATABASES } from "../storage/databases.ts";
import { startOrganization } from "./organization-cast.ts";
import { newPerson, type Person } from "./people.ts";

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`members of organizations on ${kind}`, async () => {
    if (missing) return;
    const { app, accounts, join, roleOf, auditOf, owner, stranger, byRole, membersPath } =
      await startOrganization(kind);

    describe("members", () => {
      test("are listed by name, in pages", async () => {
        const { body } = await byRole.viewer.send("GET", `${membersPath}?pageSize=1&page=2`);
        const { admin } = byRole;
        expect(body).toEqual({
          data: [
            {
              id: admin.id,
              userId: admin.id,
              email: admin.email,
              name: "Person 3",
              role: "admin",
              status: "active",
              joinedAt: expect.any(String),
            },
          ],
          meta: { page: 2, pageSize: 1, total: 4, totalPages: 4 },
        } as never);
      });

      /** An organization with one person of each role, and a second owner. */
      async function crew() {
        const founder = await newPerson(app);
        const rest = { second: "owner", admin: "admin", member: "member", viewer: "viewer" } as const;
        const made = { founder } as Record<keyof typeof rest | "founder", Person>;
        for (const [name, role] of Object.entries(rest) as [keyof typeof rest, OrganizationRole][]) {
          made[name] = await newPerson(app);
          await join(founder.ownId, made[name], role);
        }
        const path = (who: Person) => `/api/gw/organizations/${founder.ownId}/members/${who.id}`;
        const setRole = (by: Person, whom: Person, role: string) => by.send("PATCH", path(whom), { role });
        const remove = (by: Person, whom: Person) => by.send("DELETE", path(whom));
        return { ...made, organizationId: founder.ownId, path, setRole, remove };
      }

      test("get other roles from admins and owners; owners only from owners", async () => {
        const { founder, second, admin, member, viewer, organizationId, setRole } = await crew();
        const steps: [Person, Person, OrganizationRole, number][] = [
          [member, viewer, "member", 403],
          [viewer, viewer, "member", 403],
          [member, member, "admin", 403],
          [admin, viewer, "member", 200],
          [admin, viewer, "admin", 200],
          [admin, viewer, "viewer", 200],
          [admin, viewer, "owner", 403],
          [admin, admin, "owner", 403],
          [admin, second, "admin", 403],
          [second, member, "owner", 200],
          [founder, member, "member", 200],
          [admin, admin, "member", 200],
          [admin, viewer, "member", 403],
          [stranger, member, "viewer", 404],
          [founder, stranger, "member", 404],
        ];
        for (const [by, whom, role, status] of steps) {
          const before = await roleOf(organizationId, whom);
          const answer = await setRole(by, whom, role);
          expect(answer.status).toBe(status);
          if (status === 200) expect(answer.body).toMatchObject({ userId: whom.id, role });
          expect(await roleOf(organizationId, whom)).toBe(status === 200 ? role : before);
        }
        const changes = (await auditOf(organizationId)).filter(({ action }) => action === "member.update");
        expect(changes).toHaveLength(steps.filter(([, , , status]) => status === 200).length);
        expect(changes.at(-1)).toMatchObject({
          userId: admin.id,
          targetId: String(viewer.id),
          details: { from: "viewer", to: "member" },
        });
      });

      test("keep their id and the day they joined, whatever else is sent", async () => {
        const { founder, member, organizationId, path } = await crew();
        const before = await accounts.organizationMembers.find(organizationId, member.id);
        const extra = { userId: stranger.id, organizationId: stranger.ownId, joinedAt: 0, email: "x@y", status: "x" };
        expect((await founder.send("PATCH", path(member), { role: "viewer", ...extra })).status).toBe(200);
        expect(await accounts.organizationMembers.find(organizationId, member.id)).toEqual({
          ...before,
          role: "viewer",
        } as never);
        expect((await founder.send("PATCH", path(member), { role: "king" })).status).toBe(400);
        expect((await founder.send("PATCH", path(member), {})).status).toBe(400);
      });

      test("are taken out by admins, owners only by owners, and leave the teams as well", async () => {
        const { founder, second, admin, member, viewer, organizationId, remove } = await crew();
        const [team] = await accounts.teams.list(organizationId);
        const teamId = team?.team.id ?? "";
        await accounts.teamMembers.insert({ teamId, userId: member.id, role: "admin", joinedAt: 0 });
        await member.send("POST", "/api/gw/organizations/active", { organizationId });
        for (const [by, whom, status] of [
          [member, viewer, 403],
          [viewer, member, 403],
          [stranger, member, 404],
          [admin, founder, 403],
          [admin, stranger, 404],
          [admin, member, 200],
          [admin, member, 404],
          [founder, second, 200],
        ] as const) {
          expect((await remove(by, whom)).status).toBe(status);
        }
        expect(await accounts.teamMembers.find(teamId, member.id)).toBeNull();
        expect((await member.send("GET", `/api/gw/organizations/${organizationId}`)).status).toBe(404);
        expect((await member.send("GET", `/api/gw/teams/${teamId}`)).status).toBe(404);
        const teams = await member.send("GET", "/api/gw/teams");
        expect(teams.body).toMatchObject({ data: [{ organizationId: member.ownId }] });
        const removals = (await auditOf(organizationId)).filter(({ action }) => action === "member.remove");
        expect(removals.map(({ targetId }) => targetId)).toEqual([String(second.id), String(member.id)]);
      });

      test("may leave by themselves, whatever their role", async () => {
        const { second, admin, member, viewer, organizationId, remove } = await crew();
        for (const person of [viewer, member, admin, second]) {
          expect(await remove(person, person)).toEqual({ status: 200, body: { success: true } as never });
          expect(await roleOf(organizationId, person)).toBeNull();
        }
        expect((await auditOf(organizationId))[0]).toMatchObject({ action: "member.leave", userId: second.id });
      });

      test("the last owner can neither leave nor be demoted; an heir takes the organization over", async () => {
        const { founder, second, member, organizationId, setRole, remove } = await crew();
        expect((await setRole(second, founder, "admin")).status).toBe(200);
        expect((await accounts.organizations.find(organizationId))?.ownerId).toBe(second.id);
        for (const answer of [await setRole(second, second, "admin"), await remove(second, second)]) {
          expect(answer).toMatchObject({ status: 409, body: { code: "VALIDATION_ERROR" } });
        }
        expect(await roleOf(organizationId, second)).toBe("owner");
        expect((await setRole(second, member, "owner")).status).toBe(200);
        expect((await remove(second, second)).status).toBe(200);
        expect((await accounts.organizations.find(organizationId))?.ownerId).toBe(member.id);
      });

      test("an owner who is shut out is no heir: the last one who can log in stays", async () => {
        const { founder, second, member, organizationId, setRole, remove } = await crew();
        await accounts.users.update(second.id, { status: "disabled" });
        for (const answer of [await setRole(founder, founder, "admin"), await remove(founder, founder)]) {
          expect(answer.status).toBe(409);
        }
        expect(await roleOf(organizationId, founder)).toBe("owner");
        expect((await setRole(founder, member, "owner")).status).toBe(200);
        expect((await remove(founder, founder)).status).toBe(200);
        expect((await accounts.organizations.find(organizationId))?.ownerId).toBe(member.id);
      });

      test("two owners who demote or remove each other at once leave one owner", async () => {
        for (const act of ["setRole", "remove", "leave"] as const) {
          const { founder, second, organizationId, setRole, remove } = await crew();
          const run = (by: Person, whom: Person) =>
            act === "setRole" ? setRole(by, whom, "member") : act === "remove" ? remove(by, whom) : remove(by, by);
          const answers = await Promise.all([run(founder, second), run(second, founder)]);
          expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
          const left = await accounts.organizationMembers.list(organizationId);
          expect(left.filter(({ role }) => role === "owner")).toHaveLength(1);
          const owners = left.filter(({ role }) => role === "owner").map(({ userId }) => userId);
          expect(owners).toEqual([(await accounts.organizations.find(organizationId))?.ownerId ?? 0]);
        }
      });

      test("a member that cannot be is 404", async () => {
        for (const id of ["0", "-1", "x", "1e3", "1.5", "2147483648", "99999999999999999999", "999999"]) {
          const path = `${membersPath}/${id}`;
          expect((await owner.send("PATCH", path, { role: "member" })).status).toBe(404);
          expect((await owner.send("DELETE", path)).status).toBe(404);
        }
      });
    });
  });
}
