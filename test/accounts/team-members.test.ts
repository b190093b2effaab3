import { describe, expect, test } from "bun:test";
import { DATABASES } from "../storage/databases.ts";
import { newPerson, type Person } from "./people.ts";
import { startTeams } from "./team-cast.ts";

const NOWHERE = "00000000-0000-0000-0000-000000000000";

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`members of teams on ${kind}`, async () => {
    if (missing) return;
    const { app, accounts, owner, home, stranger, cast, newTeam, lastLine, table } = await startTeams(kind);

    /** Somebody who is in the organization, but in no team of it. */
    async function colleague() {
      const person = await newPerson(app);
      const membership = { organizationId: home, userId: person.id, role: "member", joinedAt: 0 } as const;
      await accounts.organizationMembers.insert(membership);
      return person;
    }

    describe("inviting", () => {
      const invite = (by: Person, body: object) => by.send("POST", "/api/gw/teams/invite-member", body);

      test("adds somebody of the organization to the team at once", async () => {
        const { id, name } = await newTeam();
        const guest = await colleague();
        const body = { team_id: id, teamName: name, email: ` ${guest.email.toUpperCase()}`, role: "admin" };
        const { status, body: member } = await invite(cast.lead, body);
        expect(status).toBe(200);
        expect(member).toEqual({
          id: guest.id,
          userId: guest.id,
          email: guest.email,
          name: expect.any(String),
          role: "admin",
          status: "active",
          joinedAt: expect.any(String),
        } as never);
        expect(await accounts.teamMembers.find(id, guest.id)).toMatchObject({ role: "admin" });
        expect(await lastLine()).toMatchObject({
          action: "team.add_member",
          userId: cast.lead.id,
          targetId: id,
          details: { userId: guest.id, role: "admin" },
        });
        expect((await guest.send("GET", `/api/gw/teams/${id}`)).status).toBe(200);
        expect((await invite(cast.lead, body)).status).toBe(409);
      });

      test.each(["member", "viewer"])("as %s keeps the role that a person has in the organization", async (role) => {
        const { id } = await newTeam();
        expect((await invite(owner, { teamId: id, email: cast.viewer.email, role })).status).toBe(200);
        expect(await accounts.organizationMembers.find(home, cast.viewer.id)).toMatchObject({ role: "viewer" });
        expect(await accounts.teamMembers.find(id, cast.viewer.id)).toMatchObject({ role: "member" });
      });

      test.each(table([200, 200, 200, 403, 404, 403, 404]))("by %s is %d", async (who, status) => {
        const { id } = await newTeam();
        const guest = await colleague();
        const known = await invite(cast[who], { teamId: id, email: guest.email, role: "member" });
        const unknown = await invite(cast[who], { teamId: id, email: `nobody-${id}@example.com`, role: "member" });
        expect([known.status, unknown.status]).toEqual([status, status]);
        // Only those who may invite learn who is there.
        if (status !== 200) expect(unknown).toEqual(known);
        else expect(unknown.body).toMatchObject({ status: "pending", email: `nobody-${id}@example.com` });
        expect((await accounts.teamMembers.find(id, guest.id)) !== null).toBe(status === 200);
      });

      test("takes nothing that was not offered", async () => {
        const { id } = await newTeam();
        const guest = await colleague();
        const extra = { userId: owner.id, organizationId: stranger.ownId, organizationRole: "owner", joinedAt: 0 };
        const { body } = await invite(owner, { teamId: id, email: guest.email, role: "member", ...extra });
        expect(body).toMatchObject({ userId: guest.id, role: "member" });
        expect(await accounts.organizationMembers.find(home, guest.id)).toMatchObject({ role: "member" });
        expect(await accounts.organizationMembers.find(stranger.ownId, guest.id)).toBeNull();
      });

      test.each([
        ["no team", { teamId: undefined }],
        ["a team with a NUL", { teamId: "a\0" }],
        ["no e-mail", { email: undefined }],
        ["no address", { email: "nobody" }],
        ["an address with a NUL", { email: "a\0@b" }],
        ["two addresses", { email: "a@example.com,b@example.com" }],
        ["no role", { role: undefined }],
        ["the role owner", { role: "owner" }],
      ])("with %s is 400", async (_, change) => {
        const { id } = await newTeam();
        const body = { teamId: id, email: stranger.email, role: "member", ...change };
        expect(await invite(owner, body)).toMatchObject({ status: 400, body: { code: "VALIDATION_ERROR" } });
      });

      test("somebody many times at once adds them once", async () => {
        const { id } = await newTeam();
        const guest = await colleague();
        const body = { teamId: id, email: guest.email, role: "member" };
        const answers = await Promise.all(Array.from({ length: 4 }, () => invite(owner, body)));
        expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
      });

      test("and being taken out of the organization at once never leaves somebody in the team alone", async () => {
        const { id } = await newTeam();
        for (let round = 0; round < 5; round++) {
          const guest = await colleague();
          await Promise.all([
            invite(owner, { teamId: id, email: guest.email, role: "member" }),
            owner.send("DELETE", `/api/gw/organizations/${home}/members/${guest.id}`),
          ]);
          const inTeam = (await accounts.teamMembers.find(id, guest.id)) !== null;
          const inOrganization = (await accounts.organizationMembers.find(home, guest.id)) !== null;
          expect(inTeam).toBe(inOrganization);
        }
      });
    });

    describe("taking somebody out", () => {
      const remove = (by: Person, body: object) => by.send("POST", "/api/gw/teams/remove-member", body);

      test.each(table([200, 200, 200, 403, 404, 403, 404]))("by %s is %d", async (who, status) => {
        const { id } = await newTeam();
        const guest = await colleague();
        await accounts.teamMembers.insert({ teamId: id, userId: guest.id, role: "member", joinedAt: 0 });
        const answer = await remove(cast[who], { teamId: id, memberId: guest.id });
        expect(answer.status).toBe(status);
        expect((await accounts.teamMembers.find(id, guest.id)) === null).toBe(status === 200);
        expect(await accounts.organizationMembers.find(home, guest.id)).not.toBeNull();
        if (status !== 200) return;
        expect(answer.body).toEqual({ success: true } as never);
        expect(await lastLine()).toMatchObject({
          action: "team.remove_member",
          targetId: id,
          details: { userId: guest.id },
        });
      });

      test("takes the id as text too, in both spellings, and everybody may leave", async () => {
        const { id } = await newTeam();
        expect((await remove(cast.insider, { team_id: id, member_id: String(cast.insider.id) })).status).toBe(200);
        expect(await accounts.teamMembers.find(id, cast.insider.id)).toBeNull();
        expect((await remove(cast.insider, { teamId: id, memberId: cast.insider.id })).status).toBe(404);
      });

      test.each([[0], [-1], [2_147_483_648], ["99999999999999999999"], [999_999]])("%p is 404", async (memberId) => {
        const { id } = await newTeam();
        expect((await remove(owner, { teamId: id, memberId })).status).toBe(404);
        expect((await remove(owner, { teamId: NOWHERE, memberId: owner.id })).status).toBe(404);
      });

      test.each([[undefined], [null], ["x"], [1.5], [["1"]]])("%p is 400", async (memberId) => {
        const { id } = await newTeam();
        expect((await remove(owner, { teamId: id, memberId })).status).toBe(400);
        expect((await remove(owner, { memberId: owner.id })).status).toBe(400);
      });
    });
  });
}
