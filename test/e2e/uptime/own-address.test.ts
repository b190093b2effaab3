import { afterAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { newFolder, runTurnpike, type Turnpike } from "../process.ts";

const MASTER = "sk-master-key-of-its-own-address";
const folder = newFolder();
let turnpike: Omit<Turnpike, "url"> | null = null;
afterAll(async () => {
  turnpike?.kill("SIGKILL");
  await turnpike?.exited;
  folder.remove();
});

/** The address has to be in the configuration before the server has it. */
const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });

test("a deployment whose address is the gateway's own ends with a clear error, after a few calls", async () => {
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  const config = {
    model_list: [
      {
        model_name: "loop",
        litellm_params: { model: "openai/loop", api_base: `${base}/v1`, api_key: MASTER },
        model_info: { free: true },
      },
      {
        model_name: "claude-loop",
        litellm_params: { model: "anthropic/claude-loop", api_base: base, api_key: MASTER },
        model_info: { free: true },
      },
    ],
    general_settings: {
      master_key: MASTER,
      pass_through_endpoints: [
        { path: "/again", target: `${base}/again`, headers: { authorization: `Bearer ${MASTER}` } },
      ],
    },
  };
  writeFileSync(join(folder.path, "turnpike.yaml"), JSON.stringify(config));
  const started = runTurnpike(folder.path, ["serve", "--port", String(port)]);
  turnpike = started;
  await started.waitFor(/Address +http/);
  const post = async (path: string, json: object) => {
    const headers = { authorization: `Bearer ${MASTER}`, "content-type": "application/json" };
    const response = await fetch(base + path, { method: "POST", headers, body: JSON.stringify(json) });
    return { status: response.status, text: await response.text() };
  };
  const messages = [{ role: "user", content: "hi" }];
  for (const [path, json] of [
    ["/v1/chat/completions", { model: "loop", messages }],
    ["/v1/chat/completions", { model: "loop", messages, stream: true }],
    ["/v1/chat/completions", { model: "claude-loop", messages }],
    ["/v1/messages", { model: "claude-loop", max_tokens: 9, messages }],
    ["/again", {}],
  ] as const) {
    const { status, text } = await post(path, json);
    expect([path, status]).toEqual([path, 508]);
    expect(text).toContain("leads back to this gateway");
  }
  const headers = { authorization: `Bearer ${MASTER}` };
  const metrics = await (await fetch(`${base}/metrics`, { headers })).text();
  const counted = metrics.matchAll(/^turnpike_http_requests_total\{[^}]*status="508"[^}]*\} (\d+)$/gm);
  const calls = [...counted].reduce((sum, [, count]) => sum + Number(count), 0);
  // Each of the five passes through the gateway itself four times before it is stopped.
  expect(calls).toBe(25);
}, 60_000);
