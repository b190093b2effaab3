import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { fileURLToPath } from "node:url";
import type { Locator } from "playwright-core";
import { preparePython } from "../e2e/prepare-python.ts";
import { PROGRAM } from "../e2e/process.ts";
import { browserMissing } from "./chromium.ts";
import { type Visitor, Walk } from "./walk.ts";

const WALK_MS = 180_000;
const root = fileURLToPath(new URL("../..", import.meta.url));
/** A way to call the program that works wherever these tests run, also in a folder with a blank in its name. */
const COMMAND = PROGRAM.map((part) => `'${part}'`).join(" ");
const MASTER_KEY = "sk-master-of-the-shown-code";
const python = browserMissing === null ? await preparePython() : null;

/** The hosted profile takes a key from one header alone, and from no other that clients send by themselves. */
describe.skipIf(browserMissing !== null)("what the pages of a hosted server show to be copied", () => {
  let walk: Walk;
  let ada: Visitor;
  let key: string;
  beforeAll(async () => {
    walk = await Walk.start("shown-code", { TURNPIKE_COMMAND: COMMAND, TURNPIKE_MASTER_KEY: MASTER_KEY }, CONFIG);
    ada = await walk.owner("ada@example.com", "Ada");
  }, WALK_MS);
  afterAll(() => walk?.close(), WALK_MS);

  const runners: Readonly<Record<string, (code: string) => string[] | null>> = {
    curl: (code) => ["sh", "-c", code],
    Python: (code) => (python === null ? null : [python, "-c", code]),
    TypeScript: (code) => [process.execPath, "-e", code],
  };

  /** Runs the code of every language as it stands, and gives what each has printed. */
  async function runShown(place: Locator): Promise<string[]> {
    const printed: string[] = [];
    for (const [language, runner] of Object.entries(runners)) {
      await place.getByRole("tab", { name: language }).click();
      const code = await place.getByRole("tabpanel", { name: language }).locator("pre").innerText();
      const command = runner(code);
      if (command !== null) printed.push(await run(command));
    }
    return printed;
  }

  const run = async (command: string[]): Promise<string> => {
    const env = { PATH: process.env.PATH ?? "", HOME: walk.home, TURNPIKE_KEY: key };
    const child = Bun.spawn(command, { cwd: root, env, stdout: "pipe", stderr: "pipe" });
    const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
    if ((await child.exited) !== 0) throw new Error(`${command.join(" ")} failed:\n${out}${err}`);
    return out;
  };

  test(
    "with a new key calls a model, in every language",
    async () => {
      const { page } = ada;
      await ada.goTo("/ui/keys");
      await page.getByRole("button", { name: "New key" }).first().click();
      await page.getByRole("dialog", { name: "New key" }).getByLabel("Name").fill("nightly job");
      await page.getByRole("button", { name: "Create the key" }).click();
      const shown = page.getByRole("dialog", { name: "Your key" });
      key = (await shown.getByTestId("secret").innerText()).trim();
      const plain = await fetch(`${walk.turnpike.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
      expect(plain.status).toBe(401);
      for (const out of await runShown(shown)) expect(out).toContain(" Hello");
      await shown.getByRole("button", { name: "I have kept it" }).click();
    },
    WALK_MS,
  );

  test(
    "on the page of a model that everybody may open does so with the key in the variable",
    async () => {
      const visitor = await walk.visitor();
      for (const [model, told] of [
        ["small", "Say hello in three languages."],
        ["meaning", /"embedding"|^\d+$/m],
      ] as const) {
        await visitor.goTo(`/ui/model_hub_table/${model}`);
        const examples = visitor.page.getByRole("region", { name: "Examples" });
        for (const out of await runShown(examples)) expect(out).toMatch(told);
      }
      expect(visitor.faults).toEqual([]);
    },
    WALK_MS,
  );

  test(
    "of the playground's request does so too",
    async () => {
      const { page } = ada;
      await ada.goTo("/ui/playground?model=small");
      await page.getByRole("button", { name: "Code", exact: true }).click();
      for (const out of await runShown(page.getByRole("dialog", { name: "This request as code" }))) {
        expect(out).toContain(" Hello");
      }
    },
    WALK_MS,
  );

  test(
    "to set a lost password makes the link",
    async () => {
      const { page, ...visitor } = await walk.visitor();
      await page.goto(`${walk.turnpike.url}/ui/forgot-password`);
      await page.getByLabel("E-mail").fill("ada@example.com");
      await page.getByRole("button", { name: "Send the link" }).click();
      const command = await page.locator("pre").innerText();
      expect(command).toContain("<master key>");
      expect(await run(["sh", "-c", command.replace("<master key>", MASTER_KEY)])).toContain("/ui/reset-password");
      expect(visitor.faults).toEqual([]);
    },
    WALK_MS,
  );

  test(
    "about training is the command that works here",
    async () => {
      const { page } = ada;
      await ada.goTo("/ui/training/participants");
      await page.getByText(`${COMMAND} participant`).waitFor();
      await ada.goTo("/ui/training/new");
      await page.getByText(`${COMMAND} train run`).waitFor();
      expect(ada.faults).toEqual([]);
    },
    WALK_MS,
  );
});

const CONFIG = `
model_list:
  - model_name: small
    litellm_params: { model: echo/chat, input_cost_per_token: 0.00001, output_cost_per_token: 0.00004 }
  - model_name: meaning
    litellm_params: { model: echo/embedding, input_cost_per_token: 0.00001 }
    model_info: { mode: embedding }
general_settings: { hosted: true, signup_credits: 5 }
`;
