import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { forgedTokens } from "./forged-tokens.ts";
import { describeSecrecy, readEverything } from "./secrecy-suite.ts";
import { leaks, learnSecrets } from "./sweep.ts";
import { type Person, World } from "./world.ts";

// What the other suites of this folder do is looked through where they do it.
describe("after forged tokens and refused log-ins", () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start();
    await forge(world);
    await readEverything(world, await world.newTenant());
  });
  afterAll(() => world.close());
  describeSecrecy(() => world);
});

async function forge(world: World): Promise<void> {
  const admin = await world.newPerson("admin");
  for (const token of (await forgedTokens(admin)).values()) {
    await world.call("/api/auth/me", { headers: { authorization: `Bearer ${token}` } });
  }
  await refuseLogIns(world, admin);
}

/** Secrets in the wrong place: a password as an e-mail, or of the wrong type, or in a body that is not JSON. */
async function refuseLogIns(world: World, { email, password, token }: Person): Promise<void> {
  const path = "/api/auth/token";
  for (const json of [
    { email, password: `${password}x` },
    { email: password, password },
    { email, password: [password] },
    { password },
  ]) {
    await world.call(path, { json });
  }
  const headers = { "content-type": "application/json" };
  await world.call(path, { method: "POST", headers, body: `{"email":"${email}","password":"${password}` });
  await world.call("/api/auth/password/change", {
    key: token,
    json: { currentPassword: password, newPassword: "short" },
  });
  await world.call("/api/auth/password/change", {
    key: token,
    json: { currentPassword: password, newPassword: [password] },
  });
  await world.call("/api/auth/signup", { json: { email: `x${email}`, password, name: [password] } });
}

test("what is stored of a key, or shown of it, opens nothing", async () => {
  const world = await World.start();
  const { key } = await world.newTenant();
  const found = await world.app.storage.accounts.keys.find(key.id);
  const { hash = "", handle = "", last4 = "", id = "" } = found?.key ?? {};
  const forms = [hash, handle, last4, id, `...${last4}`].flatMap((text) => [
    text,
    Buffer.from(text).toString("base64url"),
  ]);
  for (const value of forms.flatMap((text) => [text, `sk-${text}`])) {
    expect((await world.call("/v1/models", { headers: { "x-gw-api-key": value } })).status).toBe(401);
    expect((await world.call("/api/auth/me", { key: value })).status).toBe(401);
  }
  expect((await world.call("/v1/models", { headers: { "x-gw-api-key": key.value } })).status).toBe(200);
  await world.close();
});

test("a leak would be seen, in the log and in the database", async () => {
  const leaky = await World.start();
  try {
    const person = await leaky.newPerson();
    expect(await leaks(leaky)).toEqual([]);
    leaky.app.logged.push(`password=${person.password}`);
    expect(await leaks(leaky)).toEqual(["the log has a password (itself)"]);
    await leaky.app.storage.accounts.settings.put("a-leak", Buffer.from(person.token).toString("hex"));
    expect((await leaks(leaky)).join()).toContain("a session token (in hex)");
  } finally {
    await leaky.close();
  }
});

test("a credential that an answer shows is looked for everywhere else", async () => {
  const world = await World.start();
  try {
    const { teamId, people } = await world.newTenant();
    const made = await world.call("/api/gw/api-keys", { key: people.owner.token, json: { name: "Shown", teamId } });
    const { key } = JSON.parse(made.text) as { key: string };
    expect(made.status).toBe(201);
    expect(learnSecrets(world)).toBe(1);
    expect(await leaks(world)).toEqual([]);
    world.app.logged.push(`made ${Buffer.from(key).toString("base64")}`);
    expect((await leaks(world)).join()).toContain("the log has a shown by POST /api/gw/api-keys (in base64)");
  } finally {
    await world.close();
  }
});
