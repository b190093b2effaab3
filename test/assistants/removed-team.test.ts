// What is carried out in the background for a team that is deleted meanwhile.

import { afterAll, describe, expect, test } from "bun:test";
import { startAppOn } from "../accounts/people.ts";
import { chat, create, request } from "../batches/batch-files.ts";
import { DATABASES } from "../storage/databases.ts";
import { HeldUpstream } from "../upstreams/held.ts";
import { type Customer, newCustomer } from "./clients.ts";

const upstream = new HeldUpstream();
afterAll(() => upstream.stop());
const CONFIG = JSON.stringify({
  model_list: [
    {
      model_name: "m",
      litellm_params: { model: "openai/m", api_base: upstream.url, api_key: "k", max_retries: 0 },
      model_info: { input_cost_per_token: "0.001", output_cost_per_token: "0.001" },
    },
  ],
});
/** What ten tokens in and five out cost. */
const COST_USD = "0.015";

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`a team that is deleted on ${kind}`, async () => {
    if (missing) return;
    const app = await startAppOn(kind, CONFIG);
    afterAll(() => app.close());
    const desks = [app.service.batches, app.service.responses, app.service.runs];
    const said = (name: string) => `${name} on ${kind}`;
    const work: Record<string, (customer: Customer) => Promise<unknown>> = {
      batch: async ({ client }) => {
        await create(client, [request("a", chat(said("batch"), "m"))]);
        await app.service.batches.tick();
      },
      "response in the background": ({ client }) =>
        client.responses.create({ model: "m", input: said("response in the background"), background: true }),
      run: async ({ client: { beta } }) => {
        const { id } = await beta.assistants.create({ model: "m" });
        const messages = [{ role: "user" as const, content: said("run") }];
        await beta.threads.createAndRun({ assistant_id: id, thread: { messages } });
      },
    };

    test.each(Object.keys(work))("takes its %s along: without a complaint, paid for and nothing lost", async (name) => {
      const customer = await newCustomer(app);
      const { person, teamId } = customer;
      await work[name]?.(customer);
      const call = await upstream.asked(said(name));
      const before = app.logged.length;
      const removed = await person.send("DELETE", `/api/gw/teams/${teamId}`);
      expect(removed.status).toBe(200);
      call.end("Too late.");
      for (const desk of desks) {
        await desk.idle();
        await desk.tick();
        await desk.idle();
      }
      expect(app.logged.slice(before).filter((line) => !/"level":"(debug|info)"/.test(line))).toEqual([]);
      await app.service.flush();
      const { body } = await person.send("GET", "/api/gw/logs");
      const { data } = body as { data: { costUsd: string }[] };
      expect(data.map(({ costUsd }) => costUsd)).toEqual([COST_USD]);
      const findings = await app.storage.audit.verify(Date.now());
      expect(findings.flatMap(({ differences }) => differences)).toEqual([]);
    });
  });
}
