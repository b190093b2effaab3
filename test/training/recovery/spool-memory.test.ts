import { expect, test } from "bun:test";
import { join } from "node:path";

const MEBIBYTE = 1024 ** 2;
const RESPONSES = 10;
const LIVE_MIB = 200;

test("ten large responses at once add less memory than one model, whatever is in memory already", async () => {
  const response = new Uint8Array(32 * MEBIBYTE);
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(response) });
  const script = join(import.meta.dir, "spool-process.ts");
  const child = Bun.spawn([process.execPath, script, server.url.href, String(RESPONSES), String(LIVE_MIB)]);
  const { addedMib } = JSON.parse(await new Response(child.stdout).text());
  await server.stop(true);
  expect(addedMib).toBeLessThan(100);
}, 60_000);
