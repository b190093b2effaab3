import { afterAll, describe, expect, test } from "bun:test";
import { startAppOn } from "../accounts/people.ts";
import { MASTER_KEY } from "../app.ts";
import { DATABASES } from "../storage/databases.ts";

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`odd values on ${kind}`, async () => {
    const app = await startAppOn(kind);
    afterAll(() => app.close());
    const get = async (path: string) => (await app.call(path, { key: MASTER_KEY })).status;

    test.each([
      "/models?team_id=%00",
      "/api/admin/users?search=a%00b",
      "/api/admin/audit-logs?action=%00",
      "/api/admin/audit-logs?page=1&organizationId=%00",
      "/api/admin/audit-logs/export?action=%00",
      "/api/admin/audit-logs?targetType=%00",
      "/api/admin/audit-logs?targetId=%00",
    ])("a NUL in a query is the caller's fault: %s", async (path) => {
      expect(await get(path)).toBe(400);
    });

    test.each([
      "/models?team_id=&scope=&fallback_type=&include_metadata=",
      "/user/list?role=&user_ids=&page=&sort_order=",
      "/key/list?size=&team_id=&sort_by=&return_full_object=",
      "/spend/logs/v2?min_spend=&max_spend=&status_filter=&page_size=",
      "/v1/assistants?limit=&order=&after=",
      "/v1/files?limit=&purpose=",
      "/api/admin/users?page=&pageSize=&role=",
      "/api/admin/audit-logs?userId=&organizationId=&actor=&targetType=&targetId=",
    ])("a parameter without a value is none: %s", async (path) => {
      expect(await get(path)).toBe(200);
    });

    test.each([
      ["/api/admin/users?page=1&page=2", 400, "page"],
      ["/api/admin/audit-logs?action=a&userId=1&userId=2", 400, "userId"],
      ["/api/admin/usage?teamId=a&teamId=b&teamId=", 400, "teamId"],
      ["/user/info?user_id=1&user_id=2", 422, "user_id"],
      ["/spend/logs/v2?user_id=a&user_id=b", 422, "user_id"],
      ["/v1/files?limit=1&limit=2&order=asc&order=desc", 422, "limit"],
    ])("a parameter with two values is refused by its name: %s", async (path, status, name) => {
      const answer = await app.call(path, { key: MASTER_KEY });
      const { error } = (await answer.json()) as { error: string | { message: string } };
      const told = typeof error === "string" ? error : error.message;
      expect([answer.status, told]).toEqual([status, expect.stringContaining(`${name}: `)]);
      expect(told).toContain("more than once");
    });

    test.each([
      "/api/admin/users?page=1&page=1&page=",
      "/user/list?page=1&page=01&role=&role=",
      "/v1/files?unknown=1&unknown=2",
    ])("a parameter that says the same twice is one: %s", async (path) => {
      expect(await get(path)).toBe(200);
    });

    test("a parameter that is needed is not given by an empty value", async () => {
      expect(await get("/utils/supported_openai_params?model=")).toBe(422);
    });

    test("a number that no user has is no user", async () => {
      for (const id of ["2147483648", "9999999999"]) {
        expect(await get(`/api/admin/users/${id}`)).toBe(404);
        for (const [method, path] of [
          ["PATCH", ""],
          ["DELETE", ""],
          ["DELETE", "/2fa"],
          ["POST", "/password-reset"],
        ] as const) {
          const init = { method, key: MASTER_KEY, json: {} };
          expect((await app.call(`/api/admin/users/${id}${path}`, init)).status).toBe(404);
        }
      }
      const logs = await app.call("/api/admin/audit-logs?userId=99999999999", { key: MASTER_KEY });
      expect([logs.status, await logs.json()]).toMatchObject([200, { data: [] }]);
      expect(await get("/api/admin/audit-logs/export?userId=99999999999")).toBe(200);
    });

    test("a NUL in the form of a device is nobody's log-in", async () => {
      const headers = { "content-type": "application/x-www-form-urlencoded" };
      const body = "user_code=BCDF-GHJK&email=a%00@example.com&password=x";
      expect((await app.call("/device", { method: "POST", headers, body })).status).toBe(401);
    });
  });
}
