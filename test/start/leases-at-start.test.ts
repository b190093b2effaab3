// What a process takes up that others have left, where the database was away when it began.

import { afterAll, describe, expect, test } from "bun:test";
import { GatewayError } from "../../src/contract/errors.ts";
import { LEASE_MS } from "../../src/lib/leased-task-runner.ts";
import { startAppOn } from "../accounts/people.ts";
import { newCustomer } from "../assistants/clients.ts";
import { SteppedClock } from "../stepped-clock.ts";
import { DATABASES } from "../storage/databases.ts";
import { HeldUpstream } from "../upstreams/held.ts";

const upstream = new HeldUpstream();
afterAll(() => upstream.stop());
const CONFIG = JSON.stringify({
  model_list: [
    {
      model_name: "m",
      litellm_params: { model: "openai/m", api_base: upstream.url, api_key: "k", max_retries: 0 },
      model_info: { free: true },
    },
  ],
});

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`a process that begins while ${kind} is away`, () => {
    test("leaves others the time to renew what they could not", async () => {
      const clock = new SteppedClock();
      const app = await startAppOn(kind, CONFIG, clock);
      const { client } = await newCustomer(app);
      const input = `a poem on ${kind}`;
      const { id } = await client.responses.create({ model: "m", input, background: true });
      const call = await upstream.asked(input);
      // It is another process's, which could not renew its lease for a while.
      await app.storage.background.change(id, (work, answer) => ({
        work: { ...work, leaseOwner: "another", leaseUntil: clock.nowMs() - 1 },
        answer,
        events: "",
      }));
      call.end("Nobody's.");
      await app.service.responses.idle();
      const migrate = app.storage.migrate;
      const away = () => Promise.reject(new GatewayError("database", "The database does not answer."));
      Object.assign(app.storage, { migrate: away });
      await expect(app.service.prepare()).rejects.toMatchObject({ kind: "database" });
      Object.assign(app.storage, { migrate });
      await app.service.prepare();

      const look = async () => {
        await app.service.responses.tick();
        await app.service.responses.idle();
        return (await client.responses.retrieve(id)).status;
      };
      expect(await look()).toBe("in_progress");
      // It is not renewed: whoever had it is gone.
      clock.step(LEASE_MS);
      expect(await look()).toBe("failed");
      await app.close();
    });
  });
}
