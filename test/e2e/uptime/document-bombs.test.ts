import { afterAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import OpenAI from "openai";
import { docxBomb, pdfBomb } from "../../files/bombs.ts";
import { docxOf } from "../../files/documents.ts";
import { isNightly } from "../../property-runs.ts";
import { newFolder, startTurnpike } from "../process.ts";
import { childrenOf } from "../worker-pids.ts";

const MIB = 1024 * 1024;
/** Documents of each tenant. The full number is measured every night. */
const BOMBS = isNightly ? 10 : 2;
const SAMPLE_MS = 20;

const folder = newFolder();
const turnpike = await startTurnpike(folder.path, { TURNPIKE_LOG_LEVEL: "error", TURNPIKE_SIGNUP_CREDITS: "1" }, [
  "--workers",
  "2",
]);
afterAll(async () => {
  turnpike.kill("SIGKILL");
  await turnpike.exited;
  folder.remove();
});

/** A client of a new organization. */
async function newTenant(name: string): Promise<OpenAI> {
  const send = async (path: string, body: unknown, token = "") => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const response = await fetch(turnpike.url + path, { method: "POST", headers, body: JSON.stringify(body) });
    return (await response.json()) as Record<string, string>;
  };
  const person = { email: `${name}@example.com`, password: "a good long one", name };
  const { token } = await send("/api/auth/signup", person);
  const team = await send("/api/gw/teams", { name }, token);
  const { key } = await send("/api/gw/api-keys", { name, team_id: team.id }, token);
  return new OpenAI({ baseURL: `${turnpike.url}/v1`, apiKey: key ?? "", maxRetries: 0 });
}

const bytesOf = (pid: number): number => {
  try {
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1024;
  } catch {
    // It has ended.
    return 0;
  }
};
const treeOf = (pid: number): number[] => [pid, ...childrenOf(pid).flatMap(treeOf)];
const memory = (): number => treeOf(turnpike.pid).reduce((sum, pid) => sum + bytesOf(pid), 0);

test("document bombs of two tenants fail with a reason, delay no third tenant and leave no memory behind", async () => {
  const [first, second, third] = [await newTenant("first"), await newTenant("second"), await newTenant("third")];
  const documents = [
    { name: "bomb.docx", bytes: docxBomb((isNightly ? 600 : 300) * MIB) },
    { name: "bomb.pdf", bytes: pdfBomb((isNightly ? 600 : 300) * MIB) },
  ];
  const stores = await Promise.all([first, second, third].map((client) => client.vectorStores.create({})));
  const processes = treeOf(turnpike.pid);
  const before = memory();
  let highest = before;
  const sampling = setInterval(() => {
    highest = Math.max(highest, memory());
  }, SAMPLE_MS);
  const put = async (client: OpenAI, name: string, bytes: Uint8Array, at: number) => {
    const file = await client.files.create({ file: new File([Buffer.from(bytes)], name), purpose: "assistants" });
    await client.vectorStores.files.create(stores[at]?.id ?? "", { file_id: file.id });
    return file.id;
  };
  const bombs = Array.from({ length: 2 * BOMBS }, (_, at) => ({
    ...(documents[Math.floor(at / 2) % 2] as (typeof documents)[number]),
    tenant: at % 2,
  }));
  for (const { name, bytes, tenant } of bombs) await put(tenant === 0 ? first : second, name, bytes, tenant);
  const good = await put(third, "good.docx", docxOf(["A heron stands in the river."]), 2);
  const until = async (client: OpenAI, at: number, isOver: (counts: { in_progress: number }) => boolean) => {
    for (;;) {
      const { file_counts } = await client.vectorStores.retrieve(stores[at]?.id ?? "");
      if (isOver(file_counts)) return file_counts;
      await Bun.sleep(SAMPLE_MS);
    }
  };
  const isRead = ({ in_progress }: { in_progress: number }): boolean => in_progress === 0;
  await until(third, 2, isRead);
  const read = await third.vectorStores.files.retrieve(good, { vector_store_id: stores[2]?.id ?? "" });
  expect(read).toMatchObject({ status: "completed", last_error: null });
  const waiting = await first.vectorStores.retrieve(stores[0]?.id ?? "");
  expect(waiting.file_counts.in_progress).toBeGreaterThan(0);
  for (const [at, client] of [first, second].entries()) {
    await until(client, at, isRead);
    for await (const { last_error } of client.vectorStores.files.list(stores[at]?.id ?? "")) {
      expect(last_error).toEqual({
        code: "invalid_file",
        message: expect.stringMatching(/^The (DOCX|PDF) file cannot be read: it takes too (much memory|long)\.$/),
      });
    }
  }
  clearInterval(sampling);
  expect(highest - before).toBeLessThan(600 * MIB);
  // No reader is left, and the server itself has not grown.
  expect(treeOf(turnpike.pid)).toEqual(processes);
  expect(memory() - before).toBeLessThan(100 * MIB);
}, 600_000);
