import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Route } from "../../src/http/route.ts";
import { authFaults, makeCredentials, stubHandlers } from "./auth-cells.ts";
import { EXPECTATIONS } from "./expectations.ts";
import { extraFieldFaults } from "./extra-fields.ts";
import { forgedTokens } from "./forged-tokens.ts";
import { isPlatformRoute, pathWith, queryWith, sampleOf } from "./samples.ts";
import { leaks, learnSecrets, overshown } from "./sweep.ts";
import { idParameters, tenancyFaults } from "./tenancy-calls.ts";
import { nameOf, type Person, type Tenant, World } from "./world.ts";

/** Whole databases are compared, and all of the text is looked through, so each world holds what a few routes have left in it. */
const ROUTES_PER_WORLD = 10;
const CELLS_PER_WORLD = 60;

const listed = await World.start();
const everyName = listed.routes.map(nameOf);
const platformNames = listed.routes.filter(isPlatformRoute).map(nameOf);
await listed.close();

const routesOf = (world: World, names: readonly string[]): Route[] =>
  world.routes.filter((route) => names.includes(nameOf(route)));

/** What the other tests of this folder do, with one role each where the roles make no difference to what is shown. */
async function callRoutes(world: World, names: readonly string[]): Promise<void> {
  const [attacker, victim] = [await world.newTenant(), await world.newTenant()];
  for (const route of routesOf(world, names)) {
    for (const parameter of await idParameters(world, attacker, route)) {
      await tenancyFaults(world, { attacker, victim }, route, parameter, ["owner"]);
    }
    if (route.method !== "GET") {
      await extraFieldFaults(world, { attacker, victim }, route, route.auth === "admin" ? "platform admin" : "owner");
    }
  }
  await readEverything(world, attacker);
}

/** As operators and owners see it, after everything else has been done. */
async function readEverything(world: World, tenant: Tenant): Promise<void> {
  const { owner } = tenant.people;
  for (const route of world.routes) {
    if (route.method !== "GET" || !isPlatformRoute(route)) continue;
    const person = route.auth === "admin" ? await world.newPerson("admin") : owner;
    const { token } = await world.newSession(person.id);
    const { params = {}, query } = await sampleOf(world, tenant, route, owner.id);
    const more = route.query ? { pageSize: "100", size: "100", return_full_object: "true" } : {};
    await world.call(pathWith(route.paths[0], params) + queryWith(query, more), { key: token });
  }
  for (const path of ["/metrics", "/health", "/openapi.json", "/llms.txt", "/v1/models", "/v1/model/info"]) {
    await world.call(path, { key: path === "/health" ? "sk-nobody" : tenant.key.value });
  }
}

async function carryCredentials(world: World, names: readonly string[]): Promise<void> {
  const credentials = await makeCredentials(world);
  stubHandlers(world.routes);
  for (const route of routesOf(world, names)) {
    const row = EXPECTATIONS[nameOf(route)];
    if (row) await authFaults(world, credentials, "open", route, row);
  }
}

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

const DEEDS: readonly (readonly [string, (world: World) => Promise<void>])[] = [
  ["forged tokens and refused log-ins", forge],
  ...groupsOf(platformNames, ROUTES_PER_WORLD).map(
    (names) => [`calls from ${names[0]} on`, (world: World) => callRoutes(world, names)] as const,
  ),
  ...groupsOf(everyName, CELLS_PER_WORLD).map(
    (names) =>
      [`credentials of all kinds from ${names[0]} on`, (world: World) => carryCredentials(world, names)] as const,
  ),
];

function groupsOf(names: readonly string[], size: number): string[][] {
  return Array.from({ length: Math.ceil(names.length / size) }, (_, at) => names.slice(at * size, (at + 1) * size));
}

/** What there was to look for and to look through, in all worlds. */
const total = { kinds: new Set<string>(), learnt: 0, seen: 0, logged: 0, hashes: 0 };

describe.each(DEEDS)("after %s", (_, deed) => {
  let world: World;
  beforeAll(async () => {
    world = await World.start();
    await deed(world);
    await world.app.service.flush();
    total.learnt += learnSecrets(world);
    for (const kind of world.secrets.values()) total.kinds.add(kind);
    total.seen += world.seen.length;
    total.logged += world.app.logged.length;
  }, 120_000);
  afterAll(() => world.close());

  test("no answer, header, log line or file has a password, a key or a token", async () => {
    expect(await leaks(world)).toEqual([]);
  }, 60_000);

  test("an answer that shows a credential shows no other", () => {
    expect(overshown(world)).toEqual([]);
  });

  test("no answer and no log line has a stored hash", async () => {
    const dump = await world.dump();
    const hashes = [
      ...(dump.users ?? []).map((row) => row.password_hash),
      ...(dump.api_keys ?? []).flatMap((row) => [row.hash, row.previous_hash]),
    ].filter((hash) => typeof hash === "string");
    total.hashes += hashes.length;
    const shown = [...world.seen.map(({ text, headers }) => text + headers), ...world.app.logged].join("\n");
    // Only runs of hexadecimal digits can hold an HMAC: thousands of hashes are not looked for in all of the text.
    const runs = [...new Set(shown.match(/[0-9a-f]{64,}/g) ?? [])].join(" ");
    expect(hashes.every((hash) => /^[0-9a-f]{64}$/.test(hash) || hash.startsWith("$argon2id$"))).toBe(true);
    expect(hashes.filter((hash) => runs.includes(hash))).toEqual([]);
    expect(shown).not.toContain("argon2id");
  });
});

test("there were secrets of every kind, and answers to look through", () => {
  for (const kind of ["password", "key", "session token", "the master key", "the root secret"])
    expect(total.kinds).toContain(kind);
  expect(total.learnt).toBeGreaterThan(5);
  expect(total.seen).toBeGreaterThan(5_000);
  expect(total.logged).toBeGreaterThan(5_000);
  expect(total.hashes).toBeGreaterThan(100);
});

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
