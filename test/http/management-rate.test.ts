import { afterAll, describe, expect, test } from "bun:test";
import { newPerson } from "../accounts/people.ts";
import { MASTER_KEY, startApp } from "../app.ts";
import { SteppedClock } from "../stepped-clock.ts";

const clock = new SteppedClock();
const yaml = "general_settings:\n  api_reads_per_minute: 4\n  api_writes_per_minute: 2\n";
const app = await startApp(yaml, null, clock);
afterAll(() => app.close());

const look = async (token: string, path = "/api/auth/me", init: { method?: string; json?: unknown } = {}) => {
  const answer = await app.call(path, { key: token, ...init });
  const header = (name: string) => answer.headers.get(name);
  const rate = ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"].map(header);
  return { status: answer.status, rate, retryAfter: header("retry-after"), body: await answer.json() };
};
const rename = (token: string) => look(token, "/api/gw/organizations", { method: "POST", json: { name: "Another" } });

describe("the platform's API", () => {
  test("tells a session what is left of its minute, and is 429 when nothing is, until the minute is over", async () => {
    const { token } = await newPerson(app);
    expect((await look(token)).rate).toEqual(["4", "3", "60"]);
    clock.step(20_500);
    expect((await look(token)).rate).toEqual(["4", "2", "40"]);
    await look(token);
    expect((await look(token)).rate).toEqual(["4", "0", "40"]);
    expect(await look(token)).toEqual({
      status: 429,
      rate: ["4", "0", "40"],
      retryAfter: "40",
      body: { error: "More than 4 reads in a minute. Try again in 40 seconds.", code: "FORBIDDEN" },
    });
    clock.step(39_500);
    expect((await look(token)).rate).toEqual(["4", "3", "60"]);
  });

  test("counts changes apart from reads, and each session apart from others", async () => {
    const [one, other] = [await newPerson(app), await newPerson(app)];
    for (const remaining of ["1", "0"]) expect((await rename(one.token)).rate).toEqual(["2", remaining, "60"]);
    expect((await rename(one.token)).status).toBe(429);
    expect((await look(one.token)).status).toBe(200);
    expect((await rename(other.token)).status).toBe(201);
  });

  test("counts all tokens of a person together, apart from their sessions and from other people's tokens", async () => {
    const [one, other] = [await newPerson(app), await newPerson(app)];
    const tokenOf = async ({ token, ownId }: typeof one) => {
      const json = { name: "x", scopes: ["organization:read"], organizationId: ownId };
      const made = await app.call("/api/management-tokens", { key: token, json });
      return ((await made.json()) as { token: string }).token;
    };
    const tokens = [await tokenOf(one), await tokenOf(one)];
    const theirs = await tokenOf(other);
    const left: unknown[] = [];
    for (const token of [...tokens, ...tokens]) left.push((await look(token)).rate[1]);
    expect(left).toEqual(["3", "2", "1", "0"]);
    for (const token of tokens) expect((await look(token)).status).toBe(429);
    expect((await look(one.token)).rate).toEqual(["4", "3", "60"]);
    expect((await look(theirs)).rate).toEqual(["4", "3", "60"]);
  });

  test("counts what is called as at OpenRouter with the rest", async () => {
    const { token } = await newPerson(app);
    expect((await look(token)).rate).toEqual(["4", "3", "60"]);
    expect((await look(token, "/api/v1/keys")).rate).toEqual(["4", "2", "60"]);
    expect((await look(token, "/api/v1/credits")).rate).toEqual(["4", "1", "60"]);
    await look(token);
    expect(await look(token, "/api/v1/keys")).toMatchObject({
      status: 429,
      retryAfter: "60",
      body: { error: { code: "rate_limit_exceeded" } },
    });
  });

  test("tells it on refusals too", async () => {
    const { token } = await newPerson(app);
    expect(await look(token, "/api/gw/teams/none")).toMatchObject({ status: 404, rate: ["4", "3", "60"] });
    expect(await look(token, "/api/admin/users")).toMatchObject({ status: 403, rate: [null, null, null] });
  });

  test("limits neither the master key nor what needs no session, nor a call that is not let in", async () => {
    for (let calls = 0; calls < 6; calls++) {
      expect((await look(MASTER_KEY, "/api/admin/users")).status).toBe(200);
      expect(await look("sk-none", "/api/models")).toMatchObject({ status: 200, rate: [null, null, null] });
      expect((await look("no.such.token")).status).toBe(401);
    }
  });
});

test("a limit of 0 is none", async () => {
  const free = await startApp("general_settings:\n  api_reads_per_minute: 0\n  api_writes_per_minute: 0\n");
  const { token } = await newPerson(free);
  const answer = await free.call("/api/auth/me", { key: token });
  expect([answer.status, answer.headers.get("ratelimit-limit")]).toEqual([200, null]);
  await free.close();
});
