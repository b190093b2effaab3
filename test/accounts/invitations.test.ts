import { afterAll, describe, expect, test } from "bun:test";
import { INVITATION_MS } from "../../src/accounts/invitation-rules.ts";
import { hashLink } from "../../src/accounts/link-secret.ts";
import { MASTER_KEY } from "../app.ts";
import { DATABASES } from "../storage/databases.ts";
import { newPerson, type Person, startAppOn, WITHOUT_CREDIT } from "./people.ts";

interface Issued {
  id: string;
  email: string;
  role: string;
  status: string;
  teamId: string;
  inviteUrl: string;
  expiresAt: string;
}

const PASSWORD = "a good long one";
const tokenOf = ({ inviteUrl }: Issued): string => inviteUrl.split("?token=")[1] ?? "";

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`invitations on ${kind}`, async () => {
    if (missing) return;
    const app = await startAppOn(kind, WITHOUT_CREDIT);
    afterAll(() => app.close());
    const { accounts } = app.storage;

    const owner = await newPerson(app);
    const home = owner.ownId;
    const [lead, member, viewer, stranger] = [
      await newPerson(app),
      await newPerson(app),
      await newPerson(app),
      await newPerson(app),
    ];
    const [first] = await accounts.teams.list(home);
    const teamId = first?.team.id ?? "";
    for (const [person, role] of [
      [lead, "member"],
      [member, "member"],
      [viewer, "viewer"],
    ] as const) {
      await accounts.organizationMembers.insert({ organizationId: home, userId: person.id, role, joinedAt: 0 });
      await person.send("POST", "/api/gw/organizations/active", { organizationId: home });
    }
    await accounts.teamMembers.insert({ teamId, userId: lead.id, role: "admin", joinedAt: 0 });
    await accounts.teamMembers.insert({ teamId, userId: member.id, role: "member", joinedAt: 0 });

    let count = 0;
    const newMail = () => `guest${++count}@example.com`;
    const invite = async (email: string, role = "member", by: Person = owner, team = teamId) => {
      const { status, body } = await by.send("POST", "/api/gw/teams/invite-member", { teamId: team, email, role });
      return { status, ...(body as object) } as Issued & { status: number | string };
    };
    const issue = async (email: string, role?: string) => (await invite(email, role)) as unknown as Issued;
    const accept = (by: Person, token: string) => by.send("POST", "/api/invitations/accept", { token });
    const signUp = async (email: string, invitationToken: string, more: object = {}) => {
      const json = { email, password: PASSWORD, invitationToken, ...more };
      const response = await app.call("/api/auth/signup", { json });
      return { status: response.status, body: (await response.json()) as { user: { id: number }; token: string } };
    };
    const lines = async (action: string) =>
      (await accounts.audit.list({ organizationId: home, action }, { page: 1, pageSize: 100 })).rows;
    const asWhom = async (email: string) => {
      const user = await accounts.users.findByEmail(email);
      if (!user) return null;
      const inside = await accounts.organizationMembers.find(home, user.id);
      return [inside?.role ?? null, (await accounts.teamMembers.find(teamId, user.id))?.role ?? null];
    };

    describe("are sent", () => {
      test("to whoever is not in the organization, with or without an account, and put nobody anywhere", async () => {
        for (const email of [newMail(), stranger.email]) {
          const { inviteUrl, ...record } = await issue(` ${email.toUpperCase()} `, "admin");
          expect(record).toEqual({
            id: expect.any(String),
            organizationId: home,
            teamId,
            teamName: "Default",
            email,
            role: "admin",
            status: "pending",
            invitedBy: owner.id,
            expiresAt: expect.stringMatching(/Z$/),
            createdAt: expect.stringMatching(/Z$/),
          } as never);
          expect(inviteUrl).toMatch(/^http:\/\/127\.0\.0\.1:4000\/ui\/invitation\?token=inv-[0-9A-Za-z]{43}$/);
          expect(await asWhom(email)).toEqual(email === stranger.email ? [null, null] : null);
          expect((await lines("invitation.create"))[0]).toMatchObject({ userId: owner.id, targetId: record.id });
          const stored = (await accounts.invitations.find(record.id))?.invitation;
          expect(stored).toMatchObject({ tokenHash: hashLink(inviteUrl.split("token=")[1] ?? ""), mailedAt: null });
          expect((stored?.expiresAt ?? 0) - (stored?.createdAt ?? 0)).toBe(INVITATION_MS);
        }
      });

      test("again to the same address with a new link, and the old one ends", async () => {
        const email = newMail();
        const before = await issue(email);
        const again = await issue(email, "viewer");
        expect([again.id, again.role]).toEqual([before.id, "viewer"]);
        expect((await signUp(email, tokenOf(before))).status).toBe(404);
        expect((await signUp(email, tokenOf(again))).status).toBe(201);
        expect(await asWhom(email)).toEqual(["viewer", "member"]);
      });

      test("at most fifty at a time from one organization; renewing one is no new one", async () => {
        const boss = await newPerson(app);
        const [team] = await accounts.teams.list(boss.ownId);
        const own = team?.team.id ?? "";
        for (let index = 0; index < 49; index++) await invite(`many${index}@example.com`, "member", boss, own);
        const last = ["x@example.com", "y@example.com", "z@example.com"];
        const answers = await Promise.all(last.map((email) => invite(email, "member", boss, own)));
        expect(answers.map(({ status }) => String(status)).sort()).toEqual(["409", "409", "pending"]);
        expect(await invite("many7@example.com", "member", boss, own)).toMatchObject({ status: "pending" });
        const list = await boss.send("GET", "/api/invitations?pageSize=100");
        expect(list.body).toMatchObject({ meta: { total: 50 } });
        const { data } = list.body as { data: Issued[] };
        await boss.send("DELETE", `/api/invitations/${data[0]?.id}`);
        expect(await invite("w@example.com", "member", boss, own)).toMatchObject({ status: "pending" });
      });
    });

    describe("are seen", () => {
      test("by who may invite: in the list, in the team and among the members; never the link", async () => {
        const email = newMail();
        const { id } = await issue(email);
        for (const who of [owner, lead]) {
          const list = (await who.send("GET", "/api/invitations?pageSize=100")).body as { data: Issued[] };
          expect(list.data.find((one) => one.id === id)).toMatchObject({
            email,
            status: "pending",
            teamName: "Default",
          });
          const team = (await who.send("GET", `/api/gw/teams/${teamId}`)).body as { invitations: Issued[] };
          expect(team.invitations.some((one) => one.id === id)).toBe(true);
          const members = (await who.send("GET", `/api/gw/teams/${teamId}/members?pageSize=100`)).body;
          const invited = { id, userId: null, email, name: "", role: "member", status: "invited", joinedAt: null };
          expect((members as { data: object[] }).data).toContainEqual(invited);
          expect(JSON.stringify([list, team, members])).not.toContain("inv-");
        }
        const all = (await owner.send("GET", `/api/gw/organizations/${home}/members?pageSize=100`)).body;
        expect((all as { data: object[] }).data).toContainEqual(expect.objectContaining({ id, status: "invited" }));
      });

      test("by nobody else", async () => {
        const { id } = await issue(newMail());
        for (const who of [member, viewer, stranger]) {
          const list = await who.send("GET", "/api/invitations");
          expect(list).toEqual({
            status: 200,
            body: { data: [], meta: { page: 1, pageSize: 20, total: 0, totalPages: 0 } },
          } as never);
          const team = await who.send("GET", `/api/gw/teams/${teamId}`);
          expect(JSON.stringify(team.body)).not.toContain(id);
        }
        const other = await stranger.send("GET", "/api/invitations", undefined, { "x-organization-id": home });
        expect(other.status).toBe(404);
      });

      test("by who holds the link, without signing in, and they stay good", async () => {
        for (const [email, hasAccount] of [
          [newMail(), false],
          [stranger.email, true],
        ] as const) {
          const token = tokenOf(await issue(email, "admin"));
          const look = async () => (await app.call("/api/invitations/preview", { json: { token } })).json();
          const seen = {
            organizationId: home,
            organizationName: "Person 1's organization",
            teamId,
            teamName: "Default",
            email,
            role: "admin",
            invitedByName: "Person 1",
            hasAccount,
            expiresAt: expect.any(String),
          };
          expect(await look()).toEqual(seen as never);
          expect(await look()).toEqual(seen as never);
        }
        const wrong = await app.call("/api/invitations/preview", { json: { token: "inv-nothing" } });
        expect([wrong.status, ((await wrong.json()) as { code: string }).code]).toEqual([404, "NOT_FOUND"]);
      });
    });

    describe("as a viewer, who sees all teams,", () => {
      test("are sent by who runs the organization, not by who runs a team", async () => {
        const email = newMail();
        expect(await invite(email, "viewer", lead)).toMatchObject({ status: 403, code: "FORBIDDEN" } as never);
        expect((await accounts.invitations.listPending(home, 0)).some((one) => one.invitation.email === email)).toBe(
          false,
        );
        expect(await invite(email, "viewer")).toMatchObject({ status: "pending", role: "viewer" });
        expect(await invite(newMail(), "member", lead)).toMatchObject({ status: "pending" });
      });

      test("are not sent again by who runs a team, who would have the link", async () => {
        const issued = await issue(newMail(), "viewer");
        const resend = (by: Person) => by.send("POST", `/api/invitations/${issued.id}/resend`);
        expect((await resend(lead)).status).toBe(403);
        expect((await accounts.invitations.find(issued.id))?.invitation.tokenHash).toBe(hashLink(tokenOf(issued)));
        expect((await resend(owner)).status).toBe(200);
      });
    });

    describe("are accepted", () => {
      test.each([
        ["admin", ["member", "admin"]],
        ["member", ["member", "member"]],
        ["viewer", ["viewer", "member"]],
      ])("as %s by somebody who has an account", async (role, roles) => {
        const guest = await newPerson(app);
        const token = tokenOf(await issue(guest.email, role));
        const { status, body } = await accept(guest, token);
        expect(status).toBe(200);
        expect(body).toMatchObject({ organizationId: home, teamId, role });
        expect(await asWhom(guest.email)).toEqual(roles as never);
        expect((await lines("invitation.accept"))[0]).toMatchObject({
          userId: guest.id,
          details: { email: guest.email },
        });
        expect((await guest.send("GET", `/api/gw/teams/${teamId}`)).status).toBe(200);
        expect((await accept(guest, token)).status).toBe(404);
      });

      test("by signing up with the link, without an organization of one's own", async () => {
        const email = newMail();
        const { id, ...issued } = await issue(email);
        const { status, body } = await signUp(email.toUpperCase(), tokenOf(issued as Issued));
        expect(status).toBe(201);
        expect(await asWhom(email)).toEqual(["member", "member"]);
        expect((await accounts.organizations.listOf(body.user.id)).map(({ organization }) => organization.id)).toEqual([
          home,
        ]);
        const teams = await app.call("/api/gw/teams", { headers: { authorization: `Bearer ${body.token}` } });
        expect(await teams.json()).toMatchObject({ data: [{ id: teamId }] });
        expect((await accounts.invitations.find(id))?.invitation).toMatchObject({
          status: "accepted",
          acceptedBy: body.user.id,
          tokenHash: null,
        });
        // The link was handed over, which shows nothing about the address.
        expect((await accounts.users.find(body.user.id))?.emailVerifiedAt).toBeNull();
        expect((await lines("user.sign_up"))[0]).toMatchObject({ targetId: String(body.user.id) });
        expect((await lines("invitation.accept"))[0]).toMatchObject({
          targetId: id,
          details: { userId: body.user.id },
        });
      });

      test("with an organization of one's own where one is named", async () => {
        const email = newMail();
        const { body } = await signUp(email, tokenOf(await issue(email)), { organizationName: "Mine" });
        const all = await accounts.organizations.listOf(body.user.id);
        expect(all.map(({ role }) => role).sort()).toEqual(["member", "owner"]);
      });

      test("by nobody whose address is another, and they stay good", async () => {
        const email = newMail();
        const token = tokenOf(await issue(email));
        expect(await accept(stranger, token)).toMatchObject({ status: 403, body: { code: "FORBIDDEN" } });
        expect((await signUp(newMail(), token)).status).toBe(403);
        expect(await asWhom(stranger.email)).toEqual([null, null]);
        expect((await signUp(email, token)).status).toBe(201);
      });

      test("not after their time, nor once they are taken back", async () => {
        const guest = await newPerson(app);
        const issued = await issue(guest.email);
        await accounts.invitations.update(issued.id, { expiresAt: Date.now() - 1 });
        expect((await accept(guest, tokenOf(issued))).status).toBe(404);
        const fresh = await issue(guest.email);
        expect(fresh.id).not.toBe(issued.id);
        expect((await owner.send("DELETE", `/api/invitations/${fresh.id}`)).body).toEqual({ success: true } as never);
        expect((await lines("invitation.revoke"))[0]).toMatchObject({ targetId: fresh.id });
        expect((await accept(guest, tokenOf(fresh))).status).toBe(404);
        expect((await owner.send("DELETE", `/api/invitations/${fresh.id}`)).status).toBe(404);
        expect(await asWhom(guest.email)).toEqual([null, null]);
      });

      test("once, however many try at once", async () => {
        const guest = await newPerson(app);
        const token = tokenOf(await issue(guest.email));
        const answers = await Promise.all(Array.from({ length: 5 }, () => accept(guest, token)));
        expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404]);

        const email = newMail();
        const link = tokenOf(await issue(email));
        const made = await Promise.all(Array.from({ length: 4 }, () => signUp(email, link)));
        expect(made.filter(({ status }) => status === 201)).toHaveLength(1);
        for (const { status } of made) expect([201, 404, 409]).toContain(status);
      });

      test("or taken back, when both happen at once, never half", async () => {
        for (let round = 0; round < 5; round++) {
          const guest = await newPerson(app);
          const issued = await issue(guest.email);
          const [taken, back] = await Promise.all([
            accept(guest, tokenOf(issued)),
            owner.send("DELETE", `/api/invitations/${issued.id}`),
          ]);
          expect([taken.status, back.status].sort()).toEqual([200, 404]);
          expect(await asWhom(guest.email)).toEqual(taken.status === 200 ? ["member", "member"] : [null, null]);
        }
      });

      test("not by who was taken out of the organization since, or out of the team, however they had come in", async () => {
        const guest = await newPerson(app);
        const { body } = await owner.send("POST", "/api/gw/teams", { name: "Another" });
        const team = (body as { id: string }).id;
        const [one, other] = [await issue(guest.email), await invite(guest.email, "admin", owner, team)];
        const toOther = tokenOf(other as unknown as Issued);
        expect((await accept(guest, tokenOf(one))).status).toBe(200);

        // Added by hand, while the link to the same team is open still.
        await owner.send("POST", "/team/member_add", {
          team_id: team,
          member: { user_id: String(guest.id), role: "user" },
        });
        expect(await accounts.teamMembers.find(team, guest.id)).toMatchObject({ role: "member" });
        await owner.send("POST", "/api/gw/teams/remove-member", { teamId: team, memberId: guest.id });
        expect((await accept(guest, toOther)).status).toBe(404);
        expect(await accounts.teamMembers.find(team, guest.id)).toBeNull();
        expect(await asWhom(guest.email)).toEqual(["member", "member"]);

        const back = await newPerson(app);
        const [first, second] = [await issue(back.email), await invite(back.email, "member", owner, team)];
        expect((await accept(back, tokenOf(first))).status).toBe(200);
        await owner.send("DELETE", `/api/gw/organizations/${home}/members/${back.id}`);
        expect((await accept(back, tokenOf(second as unknown as Issued))).status).toBe(404);
        expect(await asWhom(back.email)).toEqual([null, null]);
        expect((await lines("member.remove"))[0]).toMatchObject({ details: { invitations: [second.id] } });
        expect((await accept(back, tokenOf(await issue(back.email)))).status).toBe(200);

        const gone = await newPerson(app);
        const [third, fourth] = [await issue(gone.email), await invite(gone.email, "member", owner, team)];
        expect((await accept(gone, tokenOf(third))).status).toBe(200);
        await app.call(`/api/admin/users/${gone.id}`, { method: "DELETE", key: MASTER_KEY });
        expect((await signUp(gone.email, tokenOf(fourth as unknown as Issued))).status).toBe(404);
      });

      test("not when the team is gone", async () => {
        const guest = await newPerson(app);
        const { body } = await owner.send("POST", "/api/gw/teams", { name: "Short-lived" });
        const team = (body as { id: string }).id;
        const issued = (await invite(guest.email, "member", owner, team)) as unknown as Issued;
        await owner.send("DELETE", `/api/gw/teams/${team}`);
        expect((await accept(guest, tokenOf(issued))).status).toBe(404);
      });
    });

    describe("are sent again", () => {
      test("with a new link and a new time", async () => {
        const email = newMail();
        const issued = await issue(email);
        await accounts.invitations.update(issued.id, { expiresAt: Date.now() - 1 });
        const { status, body } = await lead.send("POST", `/api/invitations/${issued.id}/resend`);
        expect(status).toBe(200);
        const again = body as Issued;
        expect([again.id, again.status]).toEqual([issued.id, "pending"]);
        expect(tokenOf(again)).not.toBe(tokenOf(issued));
        expect((await lines("invitation.resend"))[0]).toMatchObject({ userId: lead.id, targetId: issued.id });
        expect((await signUp(email, tokenOf(issued))).status).toBe(404);
        expect((await signUp(email, tokenOf(again))).status).toBe(201);
        expect((await lead.send("POST", `/api/invitations/${issued.id}/resend`)).status).toBe(404);
      });

      test.each([
        ["a member", () => member, 403],
        ["a viewer", () => viewer, 403],
        ["a stranger", () => stranger, 404],
      ] as const)("or taken back not by %s", async (_, who, status) => {
        const issued = await issue(newMail());
        expect((await who().send("POST", `/api/invitations/${issued.id}/resend`)).status).toBe(status);
        expect((await who().send("DELETE", `/api/invitations/${issued.id}`)).status).toBe(status);
        expect((await accounts.invitations.find(issued.id))?.invitation).toMatchObject({
          status: "pending",
          tokenHash: hashLink(tokenOf(issued)),
        });
      });
    });
  });
}
