import { afterAll, describe, expect, test } from "bun:test";
import { MASTER_KEY } from "../app.ts";
import { DATABASES } from "../storage/databases.ts";
import { newPerson, startAppOn } from "./people.ts";

interface Listed {
  readonly data: readonly {
    readonly id: string;
    readonly action: string;
    readonly organizationId: string | null;
    readonly targetId: string;
  }[];
  readonly meta: { readonly total: number };
}

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`the audit log on ${kind}`, async () => {
    const app = await startAppOn(kind);
    afterAll(() => app.close());
    const { audit, organizationMembers } = app.storage.accounts;
    const read = async (query: string) => {
      const answer = await app.call(`/api/admin/audit-logs${query}`, { key: MASTER_KEY });
      return { status: answer.status, text: await answer.text(), headers: answer.headers };
    };
    const listed = async (query: string): Promise<Listed> => JSON.parse((await read(query)).text);
    const note = (
      id: string,
      at: string,
      given: { action?: string; targetId?: string; details?: object } = {},
      store = audit,
    ) =>
      store.insert({
        id,
        at: Date.parse(at),
        actor: "system",
        userId: null,
        action: given.action ?? "test.note",
        organizationId: null,
        targetType: "test",
        targetId: given.targetId ?? id,
        details: { ...given.details },
        address: null,
      });
    const ids = ({ data }: Listed): string[] => data.map(({ id }) => id);

    test("is read by date, whose end is the end of the day, and by time", async () => {
      await note("d1", "2020-01-01T23:59:59.999Z");
      await note("d2", "2020-01-02T00:00:00Z");
      await note("d3", "2020-01-03T00:00:00Z");
      expect(ids(await listed("?startDate=2020-01-02&endDate=2020-01-02"))).toEqual(["d2"]);
      expect(ids(await listed("?start_date=2020-01-01&end_date=2020-01-02"))).toEqual(["d2", "d1"]);
      expect(ids(await listed("?startDate=2020-01-02T00:00:00Z&endDate=2020-01-03T00:00:00Z"))).toEqual(["d2"]);
      expect((await read("?startDate=yesterday")).status).toBe(400);
      expect((await read("/export?endDate=2020-02-31")).status).toBe(400);
    });

    test("has the names of today beside the ids, and those of then where something is gone", async () => {
      const person = await newPerson(app);
      const { body } = await person.send("GET", "/api/gw/teams");
      const team_id = (body as { data: { id: string }[] }).data[0]?.id;
      const made = await person.send("POST", "/api/gw/api-keys", { name: "Short-lived", team_id });
      const { id } = made.body as { id: string };
      const named = async () => (await listed(`?targetId=${id}`)).data;
      const who = { userName: "Person 1", organizationName: "Person 1's organization" };
      expect(await named()).toMatchObject([{ ...who, action: "api_key.create", targetName: "Short-lived" }] as never);
      await person.send("DELETE", `/api/gw/api-keys/${id}`);
      for (const row of await named()) expect(row).toMatchObject({ ...who, targetName: "Short-lived" } as never);
      expect((await listed(`?action=user.sign_up&targetId=${person.id}`)).data).toMatchObject([
        { userName: null, targetName: "Person 1" },
      ] as never);
    });

    test("is exported with the same filters, whole, as CSV that no spreadsheet runs or as lines of JSON", async () => {
      const filter = "action=test.export&startDate=2021-01-01&endDate=2021-01-02";
      // In one transaction: a thousand of them would wait for the disk a thousand times.
      await app.storage.accounts.transaction(async (tx) => {
        for (let number = 0; number < 1_203; number++) {
          const id = `e${String(number).padStart(5, "0")}`;
          await note(id, "2021-01-01T12:00:00Z", { action: "test.export" }, tx.audit);
        }
      });
      const formula = '=HYPERLINK("http://evil","x")';
      await note("f1", "2021-01-02T12:00:00Z", { action: "test.export", targetId: formula, details: { a: 'b"' } });
      await note("f2", "2021-01-03T12:00:00Z", { action: "test.export" });

      const jsonl = await read(`/export?format=jsonl&${filter}`);
      const rows = jsonl.text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as { id: string; targetId: string });
      expect([rows.length, rows[0]?.id, rows[1]?.id, rows.at(-1)?.id]).toEqual([1_204, "f1", "e01202", "e00000"]);
      expect(rows[0]?.targetId).toBe(formula);
      expect(new Set(rows.map(({ id }) => id)).size).toBe(1_204);

      const csv = await read(`/export?${filter}`);
      expect(csv.headers.get("content-type")).toStartWith("text/csv");
      expect(csv.headers.get("content-disposition")).toBe('attachment; filename="audit-log.csv"');
      const [head, first, ...rest] = csv.text.split("\r\n");
      expect(head).toBe("id,at,actor,userId,action,organizationId,targetType,targetId,details,address,hash,seq");
      expect(first).toBe(
        `f1,2021-01-02T12:00:00.000Z,system,,test.export,,test,"'=HYPERLINK(""http://evil"",""x"")","{""a"":""b\\""""}",,,`,
      );
      expect(rest).toHaveLength(1_204);
      expect((await read("/export?action=none")).text).toBe(`${head}\r\n`);
      expect((await read("/export?format=xml")).status).toBe(400);
    });

    test("of an organization is for its owners and admins, and has nothing of others", async () => {
      const [owner, member, stranger] = [await newPerson(app), await newPerson(app), await newPerson(app)];
      const organizationId = owner.ownId;
      await organizationMembers.insert({ organizationId, userId: member.id, role: "member", joinedAt: 1 });
      await owner.send("POST", "/api/gw/teams", { name: "Red" });
      const path = `/api/gw/organizations/${organizationId}/audit-logs`;
      const seen = (await owner.send("GET", path)).body as Listed;
      expect(seen.data.map(({ action }) => action)).toContain("team.create");
      expect(new Set(seen.data.map((entry) => entry.organizationId))).toEqual(new Set([organizationId]));
      const narrowed = (await owner.send("GET", `${path}?action=team.create&pageSize=1`)).body as Listed;
      expect([narrowed.data.length, narrowed.meta.total]).toEqual([1, 1]);
      const by = async (filter: string) => ((await owner.send("GET", `${path}?${filter}`)).body as Listed).data;
      const [made] = await by("action=team.create&targetType=team");
      expect(await by(`targetId=${made?.targetId}&userId=${owner.id}`)).toEqual(made ? [made] : []);
      expect(await by(`targetId=${made?.targetId}&userId=${member.id}`)).toEqual([]);
      expect(await by("targetType=team&actor=system")).toEqual([]);
      const asked = `${path}/export?format=jsonl&targetId=${made?.targetId}&actor=user`;
      const exported = await app.call(asked, { headers: { authorization: `Bearer ${owner.token}` } });
      expect(
        (await exported.text())
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line)),
      ).toEqual([made]);
      expect((await owner.send("GET", `${path}?actor=nobody`)).status).toBe(400);
      const early = (await owner.send("GET", `${path}?endDate=2020-01-01`)).body as Listed;
      expect(early.meta.total).toBe(0);
      expect((await member.send("GET", path)).status).toBe(403);
      expect((await stranger.send("GET", path)).status).toBe(404);
      await organizationMembers.setRole(organizationId, member.id, "admin");
      expect((await member.send("GET", path)).status).toBe(200);
      // A parameter that operators have is none here.
      const other = (await owner.send("GET", `${path}?organizationId=${stranger.ownId}`)).body as Listed;
      expect(other.meta.total).toBe(seen.meta.total);
    });
  });
}
