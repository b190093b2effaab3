import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newPerson } from "../accounts/people.ts";
import { startApp } from "../app.ts";

const page = readFileSync(join(import.meta.dir, "../../docs/connect.md"), "utf8");
const block = (language: string): string => new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(page)?.[1] ?? "";

const app = await startApp();
const connection = { keepOpen: () => undefined, release: () => undefined, remoteAddress: "127.0.0.1" };
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: (request) => app.service.dispatcher.handle(request, connection),
});
const url = `http://127.0.0.1:${server.port}`;
const folder = mkdtempSync(join(tmpdir(), "turnpike-connect-"));
const children: Bun.Subprocess[] = [];
afterAll(async () => {
  for (const child of children) child.kill();
  await Promise.all(children.map(({ exited }) => exited));
  await server.stop(true);
  await app.close();
  rmSync(folder, { recursive: true, force: true });
});

/** What somebody says who opens the address that a program has printed: where their browser goes next. */
async function sayYes(address: string): Promise<string> {
  const person = await newPerson(app);
  const [team] = await app.storage.accounts.teams.list(person.ownId);
  const opened = await fetch(address, { redirect: "manual" });
  const asked = new URL(opened.headers.get("location") ?? "", url).searchParams;
  const body = { ...Object.fromEntries(asked), teamId: team?.team.id };
  const { redirectTo } = (await person.send("POST", "/api/auth/connect", body)).body as { redirectTo: string };
  return redirectTo;
}

/** Its output up to what is waited for, and then to its end. */
async function untilPrinted(child: Bun.Subprocess<"pipe", "pipe", "inherit">, wanted: RegExp) {
  children.push(child);
  const reader = child.stdout.getReader();
  const decoder = new TextDecoder();
  let text = "";
  const readOn = async (): Promise<boolean> => {
    const { value, done } = await reader.read();
    text += decoder.decode(value);
    return !done;
  };
  while (!wanted.test(text) && (await readOn()));
  const toItsEnd = async (): Promise<string> => {
    while (await readOn());
    return text;
  };
  return { found: wanted.exec(text)?.[1] ?? "", toItsEnd };
}

test("the program of docs/connect.md gets a key and calls a model with it", async () => {
  writeFileSync(join(folder, "connect.ts"), block("ts"));
  const child = Bun.spawn([process.execPath, "connect.ts"], {
    cwd: folder,
    env: { ...process.env, TURNPIKE_URL: url },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  const { found, toItsEnd } = await untilPrinted(child, /Open (\S+)\n/);
  expect(await (await fetch(await sayYes(found))).text()).toBe("You can close this page.");
  expect(await toItsEnd()).toContain("Hello!");
  expect(await child.exited).toBe(0);
}, 60_000);

const isWithoutTools = ["bash", "curl", "openssl"].some((tool) => Bun.which(tool) === null);
test.skipIf(isWithoutTools)(
  "so do its commands, by hand",
  async () => {
    const commands = block("sh").replace("CODE=...", "read CODE");
    expect(commands).toContain("read CODE");
    const child = Bun.spawn(["bash", "-euc", commands], {
      cwd: folder,
      env: { ...process.env, URL: url, NO_PROXY: "127.0.0.1" },
      stdin: "pipe",
      stdout: "pipe",
      stderr: "inherit",
    });
    const { found, toItsEnd } = await untilPrinted(child, /(\S+)\n/);
    const back = new URL(await sayYes(found));
    expect(back.origin).toBe("http://localhost:3000");
    child.stdin.write(`${back.searchParams.get("code")}\n`);
    await child.stdin.end();
    expect(await toItsEnd()).toMatch(/\{"key":"sk-[^"]+","user_id":"\d+"\}/);
  },
  60_000,
);
