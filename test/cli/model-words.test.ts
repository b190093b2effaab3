// What is told of a model that was typed: in the words of who typed it.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { ADMIN, type Person, startPlace } from "./command-line.ts";

const place = await startPlace();
afterAll(() => place.close());

let root: Person;
beforeAll(async () => {
  root = place.person();
  const login = ["login", "--email", ADMIN.email, "--password-stdin"];
  expect((await root.run(login, { stdin: ADMIN.password })).code).toBe(0);
}, 60_000);

const run = (line: string, stdin = "") => root.run(line.split(" "), { stdin });

test("every option of a model is described, and none by an empty default", async () => {
  for (const verb of ["add", "update"]) {
    const { out } = await run(`admin models ${verb} --help`);
    expect(out).not.toMatch(/default:\s+\{\}/);
    expect(out).toMatch(/--access-groups <names\.\.\.> +\S/);
  }
  expect((await run("admin credentials set --help")).out).not.toMatch(/default:\s+\{\}/);
}, 60_000);

test("the action that the audit log's help names is one that it keeps", async () => {
  const { out } = await run("admin audit --help");
  const [, action = ""] = /--action <name> +such as (\S+)/.exec(out) ?? [];
  for (const line of ["orgs create acme", "orgs use acme", "teams create core", "keys create mine --team core -q"])
    expect([line, (await run(line)).code]).toEqual([line, 0]);
  expect((await run(`admin audit --action ${action}`)).out).toContain(`\t${action}\t`);
}, 60_000);

test("a model without its provider's key is told as one whose calls will fail, until it has one", async () => {
  const keyless = "Note: calls of `mini` will fail: OpenAI needs a key";
  expect((await run("admin models add openai gpt-4o-mini --name mini")).err).toContain(keyless);
  expect((await run("admin models update mini --param rpm=9")).err).toContain(keyless);
  const keyed = await run("admin models update mini --api-key-stdin", "sk-mine");
  expect([keyed.code, keyed.err]).toEqual([0, expect.not.stringContaining("will fail")]);
}, 60_000);

test("prices are told for a million tokens, and one that was meant for a million is noticed", async () => {
  const add = await run("admin models add openai acme-1 --name own --price input=0.00000015 output=6e-7 image=0.04");
  expect(add.err).toContain("Price: input $0.15, output $0.60 per million tokens; $0.04 per image.\n");
  expect(add.err).not.toContain("USD per token");

  const typed = await run("admin models update own --price input=1 output=0.001");
  expect(typed.err).toContain("Price: input $1000000.00, output $1000.00 per million tokens; $0.04 per image.\n");
  expect(typed.err).toContain(
    "Note: --price is USD per token, and this is over $1000 per million. Did you mean --price input=0.000001?\n",
  );
  expect((await run("admin models update own --price output=20")).err).toContain("input=0.000001 output=0.00002?");
  expect((await run("admin models update own --price input=2e-6 output=3e-6")).err).not.toContain("USD per token");

  const listed = await run("admin models add openai gpt-4o-mini --name listed --api-key-stdin", "sk-mine");
  expect(listed.err).toMatch(/^Price: input \$0\.15, output \$0\.60.* per million tokens\.$/m);
  const unknown = await run("admin models add openai acme-2 --name unknown --api-key-stdin", "sk-mine");
  expect(unknown.err).not.toContain("Price:");
}, 60_000);

test("a fault of a model names what was typed, and where to look", async () => {
  const nobody = await run("admin models add nosuch foo");
  expect([nobody.code, nobody.err]).toEqual([
    2,
    "turnpike: provider: unknown provider `nosuch`\nSee: turnpike admin providers\n",
  ]);
  const near = await run("admin models add opnai foo");
  expect(near.err).toContain("did you mean `openai`?\nSee: turnpike admin providers\n");

  const local = await run("admin models add mylocal foo --api-base http://127.0.0.1:1/v1");
  expect(local.err).toContain("unknown provider `mylocal`. For a server with OpenAI's interface, it is `openai`\n");

  const bad = "--api-base nowhere --credential none --param rpm=many --info supports_vision=perhaps";
  const faulty = await run(`admin models add openai gpt-4o ${bad}`);
  expect(faulty.code).toBe(2);
  for (const name of ["--api-base: ", "--credential: ", "--param rpm: ", "--info supports_vision: "])
    expect(faulty.err).toContain(name);
  expect((await run("admin models add openai gpt-4o --price inputs=1")).err).toContain("--price: `inputs` is no price");
}, 60_000);

test("a parameter that nobody knows is told of, and kept for the provider", async () => {
  const add = await run("admin models add openai gpt-4o --name odd --param nonsense=1 --param rpm=5");
  expect(add.code).toBe(0);
  expect(add.err).toContain("Note: --param nonsense: `nonsense` is not known and goes to the provider as it is\n");
  expect(add.err).not.toContain("`rpm`");
  expect((await run("admin models update odd --param tempreature=1")).err).toContain("did you mean `temperature`?");
}, 60_000);

test("a model that is free is told as free, and one that cannot be called as such", async () => {
  const gift = await run("admin models add openai gpt-4o --name gift --info free=true");
  expect(gift.err).toContain("Price: free.\n");
  expect(gift.err).not.toContain("per million tokens");
  const listed = await run("models list --search gift");
  expect([listed.out.split("\t").slice(4), listed.err]).toEqual([
    ["free", "free", "-\n"],
    expect.stringContaining("gift cannot be called at present."),
  ]);
  const deployments = (await run("admin deployments list --output table")).out;
  expect(deployments).toMatch(/gift +openai\/gpt-4o +not set up/);
  expect(deployments).toMatch(/echo-image +echo\/image +not tried yet/);
  const log = (await run("admin audit --output table --action model.create")).out;
  expect(log).toMatch(/model\.create +gift \(model /);
}, 60_000);

test("what a model lacks is told as the flags that give it", async () => {
  const add = await run("admin models add openai acme-3 --name lacking");
  expect(add.err).toContain(
    "OpenAI needs a key: give it with --api-key-stdin or set OPENAI_API_KEY in the environment",
  );
  const states = "Give `--price input=... output=...`, or `--info free=true`.\n";
  expect(add.err).toContain(`(400 price_unknown). ${states}`);
  const ear = await run("admin models update lacking --type audio_transcription");
  expect(ear.err).toContain("Give `--price second=...`, or `--price input=... output=...`, or `--info free=true`.\n");
  const heard = await run("admin models update lacking --price second=0.0001");
  expect([heard.code, heard.err]).toEqual([0, expect.not.stringContaining("price_unknown")]);
  expect(heard.err).toContain("Price: $0.0001 per second.");
}, 60_000);
