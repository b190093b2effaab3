import { describe, expect, test } from "bun:test";
import { AT, newInvitation, newLinkToken } from "../new-records.ts";
import { rejection } from "../rejection.ts";
import type { StoreBench } from "../store-bench.ts";

export function invitationSuite(bench: StoreBench): void {
  describe("invitations", () => {
    test("one is found as it was stored, with its team's name", async () => {
      const { invitations } = bench.stores;
      const team = await bench.storedTeam();
      const [by, guest] = [await bench.storedUser(), await bench.storedUser()];
      const whole = newInvitation(team, {
        role: "viewer",
        status: "accepted",
        invitedBy: by.id,
        mailedAt: AT + 1,
        acceptedAt: AT + 2,
        acceptedBy: guest.id,
      });
      const bare = newInvitation(team, { tokenHash: null });
      for (const one of [whole, bare]) await invitations.insert(one);
      expect(await invitations.find(whole.id)).toEqual({ invitation: whole, teamName: team.name });
      expect(await invitations.find(bare.id)).toEqual({ invitation: bare, teamName: team.name });
      expect((await invitations.findByHash(whole.tokenHash ?? ""))?.invitation.id).toBe(whole.id);
      expect(await invitations.findByHash("no such hash")).toBeNull();
      expect(await invitations.find("none")).toBeNull();
      const same = newInvitation(team, { tokenHash: whole.tokenHash });
      expect(await rejection(invitations.insert(same))).toMatchObject({ kind: "conflict" });
    });

    test("an update changes what it names", async () => {
      const { invitations } = bench.stores;
      const before = newInvitation(await bench.storedTeam());
      await invitations.insert(before);
      await invitations.update(before.id, { tokenHash: null, mailedAt: AT + 7, status: "revoked" });
      await invitations.update(before.id, {});
      const after = { ...before, tokenHash: null, mailedAt: AT + 7, status: "revoked" as const };
      expect((await invitations.find(before.id))?.invitation).toEqual(after);
    });

    test("the list has the organization's pending ones that are not over, the newest first", async () => {
      const { invitations } = bench.stores;
      const [team, other] = [await bench.storedTeam(), await bench.storedTeam()];
      const [old, fresh] = [newInvitation(team), newInvitation(team, { createdAt: AT + 1 })];
      const left = [
        newInvitation(team, { status: "revoked" }),
        newInvitation(team, { status: "accepted" }),
        newInvitation(team, { expiresAt: AT }),
        newInvitation(other),
      ];
      for (const one of [old, fresh, ...left]) await invitations.insert(one);
      const listed = await invitations.listPending(team.organizationId, AT);
      expect(listed.map(({ invitation }) => invitation.id)).toEqual([fresh.id, old.id]);
    });

    test("they go with their team, and outlive who sent them", async () => {
      const { invitations, teams } = bench.stores;
      const team = await bench.storedTeam();
      const by = await bench.storedUser();
      const one = newInvitation(team, { invitedBy: by.id });
      await invitations.insert(one);
      await bench.backend.db.deleteFrom("users").where("id", "=", by.id).execute();
      expect((await invitations.find(one.id))?.invitation.invitedBy).toBeNull();
      await teams.remove(team.id);
      expect(await invitations.find(one.id)).toBeNull();
    });
  });

  describe("tokens of links", () => {
    test("a new one takes the place of the one before it, for the same purpose alone", async () => {
      const { linkTokens } = bench.stores;
      const { id } = await bench.storedUser();
      const [first, second] = [newLinkToken(id), newLinkToken(id, { expiresAt: AT + 5 })];
      const verify = newLinkToken(id, { purpose: "verify_email" });
      for (const one of [first, verify, second]) await linkTokens.put(one);
      expect(await linkTokens.findByHash(first.tokenHash)).toBeNull();
      expect(await linkTokens.findByHash(second.tokenHash)).toEqual(second);
      expect(await linkTokens.findByHash(verify.tokenHash)).toEqual(verify);
      await linkTokens.removeOf(id, "password_reset");
      expect(await linkTokens.findByHash(second.tokenHash)).toBeNull();
      expect(await linkTokens.findByHash(verify.tokenHash)).toEqual(verify);
    });

    test("of all who make one at once, one is left", async () => {
      const { linkTokens } = bench.stores;
      const { id } = await bench.storedUser();
      const made = Array.from({ length: 6 }, () => newLinkToken(id));
      await Promise.all(made.map((one) => linkTokens.put(one)));
      const left = await Promise.all(made.map(({ tokenHash }) => linkTokens.findByHash(tokenHash)));
      expect(left.filter((one) => one !== null)).toHaveLength(1);
    });

    test("of all who use one at once, one has used it", async () => {
      const { linkTokens } = bench.stores;
      const token = newLinkToken((await bench.storedUser()).id);
      await linkTokens.put(token);
      const used = await Promise.all(Array.from({ length: 6 }, () => linkTokens.use(token.id)));
      expect(used.filter((one) => one)).toHaveLength(1);
      expect(await linkTokens.findByHash(token.tokenHash)).toBeNull();
    });
  });
}
