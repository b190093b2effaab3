import { afterAll, expect, test } from "bun:test";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Person } from "../cli/command-line.ts";

const root = join(import.meta.dir, "../..");
const person = new Person("http://127.0.0.1:1");
const children: ReturnType<Person["start"]>[] = [];
afterAll(async () => {
  for (const child of children) child.kill("SIGTERM");
  await Promise.all(children.map((child) => child.exited));
  person.remove();
});

/** Starts a participant as the page says, at a free port, and gives its address. */
async function startParticipant(rows: string): Promise<string> {
  const child = person.start(["participant", "--module", "line.mjs", "--port", "0"], { env: { ROWS: rows } });
  children.push(child);
  let text = "";
  for await (const chunk of child.stdout) {
    text += Buffer.from(chunk).toString();
    const [, address] = /listens on (\S+)\n/.exec(text) ?? [];
    if (address !== undefined) return address;
  }
  throw new Error(`it ended: ${text} ${await new Response(child.stderr).text()}`);
}

test("the first training of docs/training.md works as it stands there", async () => {
  const page = readFileSync(join(root, "docs/training.md"), "utf8").split("## A first training")[1] ?? "";
  const block = (language: string) => new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(page)?.[1] ?? "";
  const sdk = join(person.home, "node_modules/@turnpike/participant");
  mkdirSync(sdk, { recursive: true });
  cpSync(join(root, "sdk/typescript/src"), join(sdk, "src"), { recursive: true });
  writeFileSync(join(sdk, "package.json"), '{"name":"@turnpike/participant","exports":"./src/index.ts"}');
  writeFileSync(join(person.home, "line.mjs"), block("js"));

  const rows = [...block("sh").matchAll(/ROWS='([^']+)' +turnpike participant .*--port (\d+)/g)];
  let plan = block("yaml");
  expect(rows.length).toBe(plan.match(/url:/g)?.length ?? 0);
  for (const [, data = "", port] of rows) {
    plan = plan.replace(`http://127.0.0.1:${port}`, await startParticipant(data));
  }
  writeFileSync(join(person.home, "plan.yaml"), plan);
  const { code, out, err } = await person.run(["train", "run", "plan.yaml"]);
  expect([code, err]).toEqual([0, expect.stringContaining("round 10 of 10  accuracy 0.9")]);
  expect(out).toContain("line.run/report.html");
}, 60_000);
