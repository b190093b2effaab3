import { afterAll, afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { ApiError } from "../../web/src/api/api-error.ts";
import {
  apiGet,
  apiPost,
  keepCsrfToken,
  keepUser,
  whenAnother,
  whenSignedOut,
  withQuery,
} from "../../web/src/api/client.ts";

interface Sent {
  readonly line: string;
  readonly token: string | null;
}

const sent: Sent[] = [];
let answers: (Response | Error)[] = [];
let ends = 0;
const fetching = spyOn(globalThis, "fetch");

beforeEach(() => {
  sent.length = 0;
  ends = 0;
  keepCsrfToken("first");
  whenSignedOut(() => {
    ends++;
  });
  fetching.mockImplementation((async (url: string, init: RequestInit) => {
    sent.push({ line: `${init.method} ${url}`, token: new Headers(init.headers).get("x-csrf-token") });
    const answer = answers.shift();
    if (answer === undefined || answer instanceof Error) throw answer ?? new Error("nothing was expected");
    return answer;
  }) as never);
});
afterEach(() => fetching.mockReset());
// Other files run in this process too, and call real servers.
afterAll(() => fetching.mockRestore());

const refused = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  Response.json(body, { status, headers: { "x-gw-call-id": "call-1", ...headers } });
const caught = async (work: Promise<unknown>): Promise<ApiError> => {
  const thrown = await work.then(
    () => null,
    (error) => error,
  );
  if (!(thrown instanceof ApiError)) throw new Error(`no ApiError: ${thrown}`);
  return thrown;
};
const UNAUTHORIZED = { error: "The session has ended.", code: "UNAUTHORIZED" };

describe("the client of the pages", () => {
  test("sends the token with changes alone", async () => {
    answers = [Response.json({}), Response.json({})];
    await apiGet("/api/balance", { page: 1, search: "" });
    await apiPost("/api/gw/teams", { name: "x" });
    expect(sent).toEqual([
      { line: "GET /api/balance?page=1", token: null },
      { line: "POST /api/gw/teams", token: "first" },
    ]);
  });

  test("renews a session that has ended, once for all calls that notice, and makes them again", async () => {
    answers = [
      refused(401, UNAUTHORIZED),
      refused(401, UNAUTHORIZED),
      Response.json({ csrfToken: "second" }),
      Response.json({ is: 1 }),
      Response.json({ is: 2 }),
    ];
    const both = await Promise.all([apiGet<{ is: number }>("/api/balance"), apiGet<{ is: number }>("/api/quota")]);
    expect(both.map(({ is }) => is).sort()).toEqual([1, 2]);
    expect(sent.filter(({ line }) => line.includes("refresh"))).toHaveLength(1);
    expect(ends).toBe(0);
  });

  test("says once that the session has ended when it cannot be renewed", async () => {
    answers = [refused(401, UNAUTHORIZED), refused(401, UNAUTHORIZED)];
    expect((await caught(apiGet("/api/balance"))).status).toBe(401);
    expect(ends).toBe(1);
  });

  test("does not take a wrong password for the end of a session", async () => {
    answers = [refused(401, { error: "Wrong.", code: "UNAUTHORIZED" }, { "x-gw-two-factor": "required" })];
    const error = await caught(apiPost("/api/auth/token", {}));
    expect([error.needsCode, sent.length, ends]).toEqual([true, 1, 0]);
  });

  test("takes the new token when another tab has logged in anew", async () => {
    const stale = {
      error: "A change with a session cookie needs the `x-csrf-token` of its session.",
      code: "FORBIDDEN",
    };
    answers = [refused(403, stale), Response.json({ csrfToken: "other" }), Response.json({ done: true })];
    await apiPost("/api/gw/teams", { name: "x" });
    expect(sent.map(({ token }) => token)).toEqual(["first", null, "other"]);
  });

  test("does not do as another person what was asked for as one, and starts anew", async () => {
    let starts = 0;
    whenAnother(() => {
      starts++;
    });
    keepUser(1);
    const stale = { error: "It needs the `x-csrf-token` of its session.", code: "FORBIDDEN" };
    answers = [refused(403, stale), Response.json({ user: { id: 2 }, csrfToken: "theirs" })];
    expect((await caught(apiPost("/api/gw/teams", { name: "x" }))).status).toBe(403);
    expect([sent.length, starts]).toEqual([2, 1]);
    keepUser(2);
    answers = [refused(403, stale), Response.json({ user: { id: 2 }, csrfToken: "theirs" }), Response.json({})];
    await apiPost("/api/gw/teams", { name: "x" });
    expect(sent.at(-1)?.token).toBe("theirs");
  });

  test("leaves every other refusal as it is", async () => {
    answers = [refused(403, { error: "This needs the role admin.", code: "FORBIDDEN" })];
    expect((await caught(apiPost("/api/gw/teams", {}))).message).toBe("This needs the role admin.");
    expect(sent).toHaveLength(1);
  });
});

describe("what went wrong", () => {
  test.each([
    [
      "the platform's words",
      400,
      { error: "name: it is missing.", code: "VALIDATION_ERROR" },
      "It is missing.",
      "name",
    ],
    ["words without a field", 409, { error: "It is in use.", code: "CONFLICT" }, "It is in use.", null],
    [
      "the gateway's words",
      429,
      { error: { message: "No credit.", code: "x", param: "model" } },
      "No credit.",
      "model",
    ],
    ["a schema's words", 422, { detail: [{ loc: ["body", "id"], msg: "is too long" }] }, "is too long", "id"],
    ["nothing", 502, null, "The server behind this address does not answer.", null],
  ])("is read from %s", async (_, status, body, message, field) => {
    answers = [refused(status, body, { "retry-after": "7" })];
    const error = await caught(apiGet("/x"));
    expect(error).toMatchObject({ message, field, status, requestId: "call-1", retryAfterS: 7 });
  });

  test("is that the server cannot be reached, where there is no answer", async () => {
    answers = [new TypeError("Failed to fetch")];
    expect(await caught(apiGet("/x"))).toMatchObject({ status: 0, requestId: null });
  });
});

test("an address has only what was chosen", () => {
  expect(withQuery("/x", { a: "1 2", b: "", c: null, d: undefined, e: 0, f: false })).toBe("/x?a=1+2&e=0&f=false");
  expect(withQuery("/x")).toBe("/x");
});
