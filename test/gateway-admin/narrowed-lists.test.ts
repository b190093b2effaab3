import { afterAll, describe, expect, test } from "bun:test";
import { startAppOn } from "../accounts/people.ts";
import { MASTER_KEY } from "../app.ts";
import { DATABASES } from "../storage/databases.ts";
import { errorFormat } from "./face.ts";

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`a list that a script asks to narrow, on ${kind}`, async () => {
    const app = await startAppOn(kind);
    afterAll(() => app.close());
    const { post, get } = errorFormat(app, MASTER_KEY);

    test.each([
      ["/key/list?status=deleted", "status"],
      ["/key/list?project_id=p", "project_id"],
      ["/key/list?access_group_id=g", "access_group_id"],
      ["/key/list?expand=user", "expand"],
      ["/key/list?user_id=1&include_team_keys=true", "include_team_keys"],
      ["/team/list?team_alias=t", "team_alias"],
      ["/team/list?page=2", "page"],
      ["/v2/team/list?status=deleted", "status"],
      ["/v2/team/list?user_id=1", "user_id"],
      ["/v2/team/list?sort_by=spend", "sort_by"],
      ["/user/list?team=t", "team"],
      ["/user/list?organization_ids=o", "organization_ids"],
      ["/user/list?sso_user_ids=s", "sso_user_ids"],
      ["/user/list?sort_by=spend", "sort_by"],
      ["/spend/logs/v2?model_id=m", "model_id"],
      ["/spend/logs/ui?key_alias=a", "key_alias"],
      ["/spend/logs/v2?error_code=429", "error_code"],
      ["/spend/logs/v2?sort_by=spend", "sort_by"],
      ["/spend/logs?team_id=t", "team_id"],
      ["/spend/logs?page=2", "page"],
      ["/spend/logs?min_spend=1", "min_spend"],
      ["/spend/logs?start_date=2026-01-01&request_id=r", "request_id"],
      ["/spend/keys?start_date=2026-01-01", "start_date"],
      ["/global/spend?end_date=2026-01-01", "end_date"],
      ["/global/spend/report?customer_id=c", "customer_id"],
      ["/team/daily/activity?exclude_team_ids=t", "exclude_team_ids"],
      ["/user/daily/activity?end_user_ids=e", "end_user_ids"],
      ["/customer/daily/activity?timezone=480", "timezone"],
    ])("is refused where it cannot be: %s", async (path, param) => {
      const { status, body } = await get(path);
      expect([status, body.error.param]).toEqual([400, param]);
    });

    test.each([
      "/key/list?status=&project_id=",
      "/v2/team/list?sort_by=created_at&sort_order=asc",
      "/user/list?sort_order=asc&team=",
      "/spend/logs/v2?sort_by=startTime&sort_order=desc",
      "/key/list?utm_source=x",
      "/key/list?include_team_keys=true&include_created_by_keys=true",
      "/key/list?user_id=1&include_team_keys=false&include_created_by_keys=true",
      "/team/list?page=1",
      "/team/daily/activity?timezone=0",
      "/spend/logs?start_date=2026-01-01&request_id=r&summarize=false",
    ])("is whole where nothing is asked: %s", async (path) => {
      expect((await get(path)).status).toBe(200);
    });

    test("has the users of a role, and those that are named", async () => {
      const made = (await post("/user/new", { user_email: "one@example.com", auto_create_key: false })).body.user_id;
      const boss = { user_email: "boss@example.com", user_role: "proxy_admin", auto_create_key: false };
      const chief = (await post("/user/new", boss)).body.user_id;
      const idsOf = async (query: string): Promise<string[]> =>
        (await get(`/user/list?page_size=100&${query}`)).body.users.map(({ user_id }: { user_id: string }) => user_id);
      expect(await idsOf("role=proxy_admin")).toContain(chief);
      expect(await idsOf("role=proxy_admin")).not.toContain(made);
      expect(await idsOf("role=internal_user")).not.toContain(chief);
      expect(await idsOf(`user_ids=${made},%20${chief}`)).toEqual([made, chief]);
      expect(await idsOf(`user_ids=${made}&role=proxy_admin`)).toEqual([]);
      expect(await idsOf("user_ids=nobody")).toEqual([]);
      expect((await get("/user/list?role=customer")).status).toBe(422);
    });

    test("has as many end users as are asked for, and organizations of both an id and a name", async () => {
      for (const user_id of ["ann", "bob"]) await post("/customer/new", { user_id });
      expect((await get("/customer/list")).body).toHaveLength(2);
      expect((await get("/customer/list?page_size=1")).body).toMatchObject([{ user_id: "ann" }]);
      const { organization_id } = (await post("/organization/new", { organization_alias: "Acme" })).body;
      const named = async (org_alias: string) =>
        (await get(`/organization/list?org_id=${organization_id}&org_alias=${org_alias}`)).body.length;
      expect([await named("acm"), await named("other")]).toEqual([1, 0]);
    });

    test("has the calls that cost so much, and as many keys and models as are asked for", async () => {
      const call = (model: string, key: string) =>
        app.call("/v1/chat/completions", { key, json: { model, messages: [{ role: "user", content: "hi" }] } });
      const keys = [(await post("/key/generate", {})).body.key, (await post("/key/generate", {})).body.key];
      for (const key of keys) expect((await call("echo", key)).status).toBe(200);
      const embedding = { model: "echo-embedding", input: "hi" };
      expect((await app.call("/v1/embeddings", { key: keys[0], json: embedding })).status).toBe(200);
      const logged = async (query: string) => (await get(`/spend/logs/v2?page_size=100&${query}`)).body;
      while ((await logged("")).total < 3) await Bun.sleep(20);
      const spends: number[] = (await logged("")).data.map(({ spend }: { spend: number }) => spend);
      const [least, most] = [Math.min(...spends), Math.max(...spends)];
      expect(most).toBeGreaterThan(least);
      expect((await logged(`min_spend=${most.toFixed(9)}`)).total).toBe(spends.filter((one) => one === most).length);
      expect((await logged(`max_spend=${least.toFixed(9)}`)).total).toBe(spends.filter((one) => one === least).length);
      expect((await logged("min_spend=1")).total).toBe(0);
      for (const path of ["/global/spend/keys", "/spend/keys", "/global/spend/models"]) {
        expect((await get(path)).body.length).toBeGreaterThan(1);
        expect((await get(`${path}?limit=1`)).body.length).toBe(1);
      }
    });
  });
}
