import { describe, expect, test } from "bun:test";
import { EndpointRests } from "../../src/billing/endpoint-rests.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { Undeliverable } from "../../src/outbox/outbox.ts";
import { createTransport } from "../../src/providers/transport.ts";
import { postWebhook, webhookDeliverer } from "../../src/start/webhook-deliverer.ts";
import { newPerson } from "../accounts/people.ts";
import { startApp } from "../app.ts";
import { rejection } from "../storage/rejection.ts";

describe("an address that is not public", () => {
  test("cannot be an endpoint, and is not called when its name leads there", async () => {
    const app = await startApp("general_settings:\n  signup_credits: 0\n");
    try {
      const person = await newPerson(app);
      for (const url of [
        "http://127.0.0.1/x",
        "http://localhost/x",
        "http://[::1]/x",
        "http://169.254.169.254/latest",
        "http://10.0.0.1/",
        "https://user:password@example.com/",
        "http://intranet/",
      ]) {
        expect([url, (await person.send("POST", "/api/webhook-endpoints", { url })).status]).toEqual([url, 400]);
      }
    } finally {
      await app.close();
    }
  });

  test("is refused when a name that looked public leads there, and not tried again", async () => {
    const app = await startApp("general_settings:\n  signup_credits: 0\n");
    try {
      const person = await newPerson(app);
      const url = "https://hooks.example.com/x";
      const made = await person.send("POST", "/api/webhook-endpoints", { url });
      const { id } = made.body as { id: string };
      await person.send("POST", "/api/gw/teams", { name: "Other" });
      await app.storage.billing.notices.tell({
        type: "balance.low",
        organizationId: person.ownId,
        data: {},
        atMs: Date.now(),
      });
      const called: string[] = [];
      for (const addresses of [["10.0.0.7"], ["93.184.216.34", "169.254.169.254"], ["::ffff:127.0.0.1"]]) {
        const transport = createTransport({
          locals: {},
          sign: async () => ({}),
          reachability: { ensure: () => null, markGood: () => undefined } as never,
          resolve: async () => addresses,
          fetch: async (to) => {
            called.push(to);
            return new Response();
          },
        });
        const { rows } = await app.storage.billing.deliveries.list(id, { page: 1, pageSize: 9 });
        const deliver = webhookDeliverer({
          stores: app.storage.billing,
          clock: systemClock,
          rootSecret: "a-secret-for-tests-0123456789abcdef",
          rests: new EndpointRests(() => 0),
          post: postWebhook(transport, false),
        });
        const payload = { deliveryId: rows[0]?.id };
        expect(await rejection(deliver({ payload } as never))).toBeInstanceOf(Undeliverable);
      }
      expect(called).toEqual([]);
      const { body } = await person.send("GET", `/api/webhook-endpoints/${id}/deliveries`);
      expect(body).toMatchObject({ data: [{ status: "failed", attempts: 3, responseStatus: null }] });
    } finally {
      await app.close();
    }
  });
});
