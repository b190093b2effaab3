import { expect, test } from "bun:test";
import { renderBanner } from "./banner.ts";

const facts = {
  version: "0.1.0",
  command: "npm run -s turnpike --",
  url: "http://127.0.0.1:4000",
  publicUrl: null,
  keyHeader: "authorization",
  dataDir: "/data",
  database: "SQLite in the data folder",
  workers: 1,
  pid: 1,
  models: ["echo"],
  startMs: 5,
  secretFile: null,
  reachable: true,
  demoModel: null,
  chatModel: "echo",
};
const first = { adminEmail: "admin@localhost", adminPassword: "made", masterKey: null, demoKey: null };

test("the first start tells what its admin login is for, and no later one does", () => {
  const login = "  npm run -s turnpike -- login --url http://127.0.0.1:4000 --email admin@localhost";
  expect(renderBanner({ ...facts, first })).toContain(login);
  expect(renderBanner({ ...facts, first: null })).not.toContain(" login ");
});

test("the first call has its key in the header that the server takes", () => {
  const call = { ...facts, first: null, demoModel: "echo" };
  expect(renderBanner(call)).toContain('-H "Authorization: Bearer $TURNPIKE_KEY"');
  const hosted = renderBanner({ ...call, keyHeader: "x-gw-api-key" });
  expect(hosted).toContain('-H "x-gw-api-key: $TURNPIKE_KEY"');
  expect(hosted).not.toContain("Bearer");
});

test("while the database is away nobody is told that the keys were shown", () => {
  expect(renderBanner({ ...facts, first: null })).toContain("shown at the first start");
  const away = renderBanner({ ...facts, first: null, reachable: false });
  expect(away).toContain("shown once the database answers");
  expect(away).not.toContain("shown at the first start");
});

test("a server whose database does not answer is not ready", () => {
  expect(renderBanner({ ...facts, first: null })).toMatch(/ready in \d+ ms/);
  const away = renderBanner({ ...facts, first: null, reachable: false });
  expect(away).toContain("waiting for the database");
  expect(away).not.toContain("ready in");
});

test("without the demo the steps end with a call of a model that is there", () => {
  const banner = (chatModel: string | null, models: readonly string[]) =>
    renderBanner({ ...facts, first, models, chatModel });
  expect(banner("mine", ["vectors", "mine"])).toMatch(
    /TURNPIKE_KEY="\$\([\s\S]*Bearer \$TURNPIKE_KEY[\s\S]*"model":"mine"[\s\S]*\n$/,
  );
  expect(banner(null, [])).toContain('"model":"gpt-4o"');
  // Nothing is known that could be called in this way.
  expect(banner(null, ["vectors"])).not.toContain("curl");
});

test.each([
  ["0.0.0.0", "127.0.0.1"],
  ["[::]", "[::1]"],
])("where it listens at %s people are told one that they can open", (host, shown) => {
  const banner = renderBanner({ ...facts, url: `http://${host}:4000`, first });
  expect(banner).toContain(`Address       http://${shown}:4000  (and every other address of this machine)\n`);
  expect(banner).toContain(`Pages         http://${shown}:4000/ui\n`);
  expect(banner).not.toContain(host);
});

test("where people reach it stands beside where it listens, and is what they open", () => {
  const banner = renderBanner({ ...facts, publicUrl: "https://models.example", first, demoModel: "echo" });
  expect(banner).toContain("Address       http://127.0.0.1:4000\n");
  expect(banner).toContain("Public        https://models.example  (public_url; people open this one)\n");
  expect(banner).toContain("Pages         https://models.example/ui\n");
  expect(banner).toContain("login --url https://models.example --email");
  expect(banner).toContain("curl http://127.0.0.1:4000/v1/chat/completions");
  expect(renderBanner({ ...facts, first })).not.toContain("Public ");
});
