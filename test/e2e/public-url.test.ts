import { afterAll, expect, test } from "bun:test";
import { newFolder, startTurnpike } from "./process.ts";

const folder = newFolder();
await Bun.write(
  `${folder.path}/turnpike.yaml`,
  "general_settings: { public_url: 'https://models.example/', trusted_proxies: [127.0.0.1] }\n",
);
const turnpike = await startTurnpike(folder.path, { TURNPIKE_CONFIG: `${folder.path}/turnpike.yaml` });
afterAll(async () => {
  turnpike.kill("SIGTERM");
  await turnpike.exited;
  folder.remove();
});

test("the start tells where people reach it, beside where it listens", async () => {
  await turnpike.waitFor(/Pages +https:\/\/models\.example\/ui\n/);
  await turnpike.waitFor(/Public +https:\/\/models\.example {2}/);
  expect(turnpike.url).toStartWith("http://127.0.0.1:");
});

test("whoever comes to it by TLS keeps to that", async () => {
  const strict = async (proto: string) => {
    const answer = await fetch(`${turnpike.url}/health/liveliness`, { headers: { "x-forwarded-proto": proto } });
    await answer.text();
    return answer.headers.get("strict-transport-security");
  };
  expect(await strict("https")).toBe("max-age=31536000");
  expect(await strict("http")).toBeNull();
});
