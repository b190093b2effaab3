import { afterAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { newFolder } from "../e2e/process.ts";
import { ADMIN, startPlace } from "./command-line.ts";

const folder = newFolder();
const config = join(folder.path, "turnpike.yaml");
writeFileSync(
  config,
  JSON.stringify({
    guardrails: [
      { guardrail_name: "personal data", litellm_params: { guardrail: "pii", mode: "pre_call" } },
      {
        guardrail_name: "watched",
        litellm_params: { guardrail: "word_list", mode: "logging_only", words: ["falcon"] },
      },
      { guardrail_name: "code names", litellm_params: { guardrail: "word_list", words: ["falcon"] } },
    ],
  }),
);
const place = await startPlace({ TURNPIKE_CONFIG: config });
afterAll(async () => {
  await place.close();
  folder.remove();
});

test("an administrator sees the guardrails and tries one; nobody else may", async () => {
  const root = place.person();
  const login = ["login", "--email", ADMIN.email, "--password-stdin"];
  expect((await root.run(login, { stdin: ADMIN.password })).code).toBe(0);
  const listed = await root.run(["admin", "guardrails", "list"]);
  expect([listed.code, listed.out]).toEqual([
    0,
    expect.stringContaining("personal data\tpii\tpre_call\tno\tmask, given back in answers\temail, "),
  ]);
  // What is refused is given back to nobody.
  expect(listed.out).toContain("code names\tword_list\tpre_call\tno\tblock\t");
  // What is masked in the log alone is in the answer as it was.
  expect(listed.out).toContain("watched\tword_list\tlogging_only\tno\tmask in logs\t");
  const tried = await root.run(["admin", "guardrails", "test", "personal data", "Write to bob@example.com!"]);
  expect([tried.code, tried.out]).toEqual([0, expect.stringContaining("email 9-24")]);
  expect(tried.out).toContain("Write to [EMAIL_1]!");
  const piped = await root.run(["admin", "guardrails", "test", "personal data", "-"], { stdin: "To bob@example.com" });
  expect(piped.out).toMatch(/Found +email 3-18\n/);
  const clear = await root.run(["admin", "guardrails", "test", "personal data", "Nothing here."]);
  expect(clear.out).toBe("Result  nothing found; the text goes on unchanged\n");
  expect((await root.run(["admin", "guardrails", "test", "personal data", "-"])).code).toBe(2);
  expect((await root.run(["admin", "guardrails", "test", "other", "x"])).code).toBe(5);
  const eve = place.person();
  await eve.signUp("eve@example.com");
  expect((await eve.run(["admin", "guardrails", "list"])).code).toBe(4);
}, 120_000);

test("an administrator adds, changes and removes one while the server runs", async () => {
  const root = place.person();
  const login = ["login", "--email", ADMIN.email, "--password-stdin"];
  expect((await root.run(login, { stdin: ADMIN.password })).code).toBe(0);
  const run = (...words: string[]) => root.run(["admin", "guardrails", ...words]);
  expect((await run("add", "birds", '{"guardrail": "word_list", "words": ["heron"]}')).err).toContain("birds is kept.");
  expect((await run("list")).out).toMatch(/^birds\tword_list\t.*\tdatabase$/m);
  expect((await run("test", "birds", "a heron")).out).toContain("refused");
  const masking = '{"guardrail": "word_list", "words": ["kestrel"], "action": "mask"}';
  const changed = await root.run(["admin", "guardrails", "update", "birds", "-"], { stdin: masking });
  expect([changed.code, changed.err]).toEqual([0, expect.stringContaining("birds is changed.")]);
  expect((await run("show", "birds")).out).toMatch(/Definition +.*kestrel/);
  expect((await run("show", "personal data")).out).toMatch(/Definition +in the configuration file/);
  expect((await run("remove", "birds")).code).toBe(2);
  expect((await run("remove", "birds", "--yes")).err).toContain("birds is removed.");
  expect((await run("show", "birds")).code).toBe(5);
  const presidio = await run("add", "brought", '{"guardrail": "presidio"}');
  expect([presidio.code, presidio.err]).toEqual([2, expect.stringContaining("`pii` does the same here")]);
  expect((await run("add", "brought", "pii")).err).toContain("no JSON");
}, 120_000);

test("keys and teams are given guardrails and show them", async () => {
  const amy = place.person();
  await amy.signUp("amy@example.com");
  const guarded = ["--guardrails", "personal data"];
  expect((await amy.run(["keys", "create", "mine", ...guarded])).code).toBe(0);
  expect((await amy.run(["keys", "show", "mine"])).out).toMatch(/Guardrails +personal data\n/);
  expect((await amy.run(["keys", "update", "mine", "--guardrails", "none"])).out).toContain("none of its own");
  expect((await amy.run(["teams", "update", "Default", ...guarded])).code).toBe(0);
  expect((await amy.run(["teams", "show", "Default"])).out).toMatch(/Guardrails +personal data\n/);
  const unknown = await amy.run(["keys", "update", "mine", "--guardrails", "nosuch"]);
  expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining("--guardrails: there is no guardrail")]);
}, 120_000);
