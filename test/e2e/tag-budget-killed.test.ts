import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { newFolder, startTurnpike, type Turnpike } from "./process.ts";

const SLOW_MS = 240_000;
const KEY = "sk-a-master-key-for-this-test";

/** A call of `dear` costs 4 USD, whatever is said. */
const CONFIG = `
model_list:
  - model_name: dear
    litellm_params: { model: echo/chat, input_cost_per_query: 4, input_cost_per_token: 0, output_cost_per_token: 0 }
litellm_settings:
  tag_budget_config:
    shop: { max_budget: 4, budget_duration: 30d }
general_settings: { log_level: error, master_key: ${KEY} }
`;

const call = async (turnpike: Turnpike, tag: string): Promise<number> => {
  const response = await fetch(`${turnpike.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "dear", messages: [{ role: "user", content: "Hello!" }], metadata: { tags: [tag] } }),
  });
  await response.text();
  return response.status;
};

test(
  "what was spent under a tag is spent when the process is killed right after its answer",
  async () => {
    const folder = newFolder();
    writeFileSync(join(folder.path, "turnpike.yaml"), CONFIG);
    const before = await startTurnpike(folder.path);
    expect(await call(before, "shop")).toBe(200);
    before.kill("SIGKILL");
    await before.exited;
    const after = await startTurnpike(folder.path);
    expect(await call(after, "shop")).toBe(429);
    expect(await call(after, "other")).toBe(200);
    after.kill("SIGTERM");
    await after.exited;
    folder.remove();
  },
  SLOW_MS,
);
