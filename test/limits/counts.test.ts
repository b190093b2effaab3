import { afterAll, describe, expect, test } from "bun:test";
import { newPerson } from "../accounts/people.ts";
import { startApp } from "../app.ts";
import { errorFormat } from "../gateway-admin/face.ts";
import { MemoryBooks } from "../metering/memory-books.ts";
import { SteppedClock } from "../stepped-clock.ts";

const clock = new SteppedClock();
const books = new MemoryBooks();
const model_list = [{ model_name: "echo", litellm_params: { model: "echo/chat" } }];
const app = await startApp(JSON.stringify({ model_list }), null, clock, { ledger: books });
afterAll(() => app.close());

const owner = await newPerson(app);
const own = errorFormat(app, owner.token);
const [first] = await app.storage.accounts.teams.list(owner.ownId);
const newKey = async (limits: object): Promise<string> =>
  (await own.post("/api/gw/api-keys", { name: crypto.randomUUID(), teamId: first?.team.id, ...limits })).body.key;

const json = { model: "echo", messages: [{ role: "user", content: "who is there?" }] };
const chat = async (key: string): Promise<number> => {
  const response = await app.call("/v1/chat/completions", { key, json: { ...json, max_tokens: 50 } });
  await response.text();
  return response.status;
};

describe.each(["/v1/messages/count_tokens", "/utils/token_counter?call_endpoint=true"])("counting by %s", (path) => {
  const count = (key: string) => app.call(path, { key, json });

  test("takes a call of the key's minute, and says what is left", async () => {
    const key = await newKey({ rpmLimit: 2 });
    const counted = await count(key);
    expect([counted.status, counted.headers.get("x-ratelimit-remaining-requests")]).toEqual([200, "1"]);
    expect(await chat(key)).toBe(200);
    const before = books.opened.length;
    const refused = await count(key);
    expect([refused.status, await chat(key)]).toEqual([429, 429]);
    expect(await refused.json()).toMatchObject({ error: { message: expect.stringContaining("2 requests a minute") } });
    expect(books.opened.length).toBe(before);
    clock.step(Number(refused.headers.get("retry-after")) * 1000);
    expect((await count(key)).status).toBe(200);
  });

  test("takes no tokens, and gives back its place among the calls at one time", async () => {
    const key = await newKey({ tpmLimit: 60, parallelLimit: 1 });
    for (let times = 0; times < 3; times++) expect((await count(key)).status).toBe(200);
    expect(await chat(key)).toBe(200);
    // Nothing is left of the tokens: a chat is refused, a count is not.
    expect([await chat(key), (await count(key)).status]).toEqual([429, 200]);
  });
});

test("counting here, which no provider is asked for, takes nothing", async () => {
  const key = await newKey({ rpmLimit: 1 });
  for (let times = 0; times < 3; times++) {
    expect((await app.call("/utils/token_counter", { key, json })).status).toBe(200);
  }
  expect(await chat(key)).toBe(200);
});
