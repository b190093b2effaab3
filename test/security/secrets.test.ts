import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { parameterNames } from "../../src/http/path.ts";
import { authFaults, makeCredentials, stubHandlers } from "./auth-cells.ts";
import { EXPECTATIONS } from "./expectations.ts";
import { extraFieldFaults } from "./extra-fields.ts";
import { forgedTokens } from "./forged-tokens.ts";
import { isPlatformRoute, pathWith, queryWith, sampleOf } from "./samples.ts";
import { leaks, learnSecrets, overshown } from "./sweep.ts";
import { idParameters, tenancyFaults } from "./tenancy-calls.ts";
import { nameOf, World } from "./world.ts";

const world = await World.start();
const { accounts } = world.app.storage;
afterAll(() => world.close());
const routes = world.routes.filter(isPlatformRoute);

/** What the other tests of this folder do, with one role each where the roles make no difference to what is shown. */
async function doEverything(): Promise<void> {
  const victim = await world.newTenant();
  for (const route of routes) {
    const attacker = await world.newTenant();
    for (const parameter of await idParameters(world, attacker, route)) {
      await tenancyFaults(world, { attacker, victim }, route, parameter, ["owner"]);
    }
    if (route.method !== "GET") {
      await extraFieldFaults(world, { attacker, victim }, route, route.auth === "admin" ? "platform admin" : "owner");
    }
    // As operators and owners see it, after everything above has been done.
    const { people } = attacker;
    const key = route.auth === "admin" ? (await world.newPerson("admin")).token : people.owner.token;
    if (route.method === "GET") {
      const { params = {}, query } = await sampleOf(world, attacker, route, people.owner.id);
      const more = route.query ? { pageSize: "100", size: "100", return_full_object: "true" } : {};
      await world.call(pathWith(route.paths[0], params) + queryWith(query, more), { key });
    }
  }
  for (const path of ["/metrics", "/health", "/openapi.json", "/llms.txt", "/v1/models", "/v1/model/info"]) {
    await world.call(path, { key: path === "/health" ? "sk-nobody" : victim.key.value });
  }
  const admin = await world.newPerson("admin");
  for (const token of (await forgedTokens(admin)).values()) {
    await world.call("/api/auth/me", { headers: { authorization: `Bearer ${token}` } });
  }
  await refuseLogIns(admin);
  const credentials = await makeCredentials(world);
  const undo = stubHandlers(world.routes);
  for (const route of world.routes) {
    const row = EXPECTATIONS[nameOf(route)];
    if (row) await authFaults(world, credentials, "open", route, row);
  }
  undo();
  await world.app.service.flush();
}

/** Secrets in the wrong place: a password as an e-mail, or of the wrong type, or in a body that is not JSON. */
async function refuseLogIns({
  email,
  password,
  token,
}: {
  email: string;
  password: string;
  token: string;
}): Promise<void> {
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

describe("after everything that these tests do", () => {
  beforeAll(async () => {
    await doEverything();
    expect(learnSecrets(world)).toBeGreaterThan(5);
  }, 120_000);

  test("there were secrets of every kind, and answers to look through", () => {
    const kinds = [...world.secrets.values()];
    for (const kind of ["password", "key", "session token", "the master key", "the root secret"])
      expect(kinds).toContain(kind);
    expect(world.seen.length).toBeGreaterThan(5_000);
    expect(world.app.logged.length).toBeGreaterThan(5_000);
  });

  test("no answer, header, log line or file has a password, a key or a token", async () => {
    expect(await leaks(world)).toEqual([]);
  }, 60_000);

  test("an answer that shows a credential shows no other", () => {
    expect(overshown(world)).toEqual([]);
  }, 60_000);

  test("no answer and no log line has a stored hash", async () => {
    const dump = await world.dump();
    const hashes = [
      ...(dump.users ?? []).map((row) => row.password_hash),
      ...(dump.api_keys ?? []).flatMap((row) => [row.hash, row.previous_hash]),
    ].filter((hash) => typeof hash === "string");
    expect(hashes.length).toBeGreaterThan(100);
    const shown = [...world.seen.map(({ text, headers }) => text + headers), ...world.app.logged].join("\n");
    // Only runs of hexadecimal digits can hold an HMAC: thousands of hashes are not looked for in all of the text.
    const runs = [...new Set(shown.match(/[0-9a-f]{64,}/g) ?? [])].join(" ");
    expect(hashes.every((hash) => /^[0-9a-f]{64}$/.test(hash) || hash.startsWith("$argon2id$"))).toBe(true);
    expect(hashes.filter((hash) => runs.includes(hash))).toEqual([]);
    expect(shown).not.toContain("argon2id");
  });

  test("what is stored of a key, or shown of it, opens nothing", async () => {
    const { key } = await world.newTenant();
    const found = await accounts.keys.find(key.id);
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
  });
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

describe("when the database fails", async () => {
  const broken = await World.start();
  const tenant = await broken.newTenant();
  const bodies = new Map<string, Record<string, unknown>>();
  for (const route of routes) {
    const { body } = await sampleOf(broken, tenant, route, tenant.people.owner.id);
    if (body) bodies.set(nameOf(route), { ...body });
  }
  const isFailure = (line: string): boolean => line.includes('"level":"error"');
  await broken.app.storage.close();
  afterAll(() => broken.close());

  test.each(routes.map((route) => [nameOf(route), route] as const))(
    "%s tells and logs no secret",
    async (name, route) => {
      const { owner } = tenant.people;
      const loggedBefore = broken.app.logged.filter(isFailure).length;
      const json = bodies.get(name);
      for (const secret of [tenant.key.value, owner.password, owner.token]) {
        const params = Object.fromEntries(parameterNames(route.paths[0]).map((parameter) => [parameter, secret]));
        const path = `${pathWith(route.paths[0], params)}?search=${secret}&token=${secret}&api_key=${secret}`;
        for (const key of [owner.token, tenant.key.value]) {
          await broken.call(path, { method: route.method, key, ...(json ? { json } : {}) });
        }
      }
      expect(await leaks(broken)).toEqual([]);
      // Or it would prove nothing; what is open to all needs no database.
      if (route.auth !== "none") expect(broken.app.logged.filter(isFailure).length).toBeGreaterThan(loggedBefore);
    },
  );
});
