import { type Command, Option } from "commander";
import { NOTICE_TYPES } from "../contract/notice-types.ts";
import type { DeliveryRecord, EndpointRecord, FreshEndpointRecord } from "../contract/purchases.ts";
import type { Page } from "./api.ts";
import { type Act, type PageFlags, pageQuery, withPages } from "./context.ts";

const ENDPOINT = "the endpoint's id";
const KEEP = "Keep the secret now: it is shown again only when it is rotated.";

/** `webhooks ...`: endpoints, and what was sent to them. */
export function addWebhooks(webhooks: Command, act: Act): void {
  addEndpoints(webhooks, act);
  addDeliveries(webhooks, act);
}

function addEndpoints(webhooks: Command, act: Act): void {
  withPages(webhooks.command("list").description("list them")).action(
    act(async ({ api, output }, flags: PageFlags) => {
      output.list(await api.get<Page<EndpointRecord>>("/api/webhook-endpoints", pageQuery(flags)), {
        ID: ({ id }) => id,
        ADDRESS: ({ url }) => url,
        EVENTS: ({ events }) => (events.length === 0 ? "all" : events.join(" ")),
        STATUS: ({ status }) => status,
      });
    }),
  );

  webhooks
    .command("add")
    .description("add one; with --quiet its secret stands alone on stdout")
    .argument("<url>", "a public address")
    .addOption(new Option("--events <types...>", "of what it is told; of all unless told").choices(NOTICE_TYPES))
    .action(
      act(async ({ api, output }, { events }: { events?: string[] }, url: string) => {
        const made = await api.send<FreshEndpointRecord>("POST", "/api/webhook-endpoints", { url, events });
        output.record(made, { Secret: made.secret, Id: made.id, Address: made.url }, made.secret);
        output.note(KEEP);
      }),
    );

  webhooks
    .command("rotate")
    .description("give one a new secret; with --quiet it stands alone on stdout")
    .argument("<endpoint>", ENDPOINT)
    .action(
      act(async ({ api, output, prompt }, _: object, id: string) => {
        await prompt.confirm(`Rotate the secret of ${id}; the present one ends at once`);
        const made = await api.send<FreshEndpointRecord>("POST", `${pathOf(id)}/rotate`);
        output.record(made, { Secret: made.secret, Id: made.id, Address: made.url }, made.secret);
        output.note(KEEP);
      }),
    );

  webhooks
    .command("remove")
    .description("remove one, and the record of what was sent there")
    .argument("<endpoint>", ENDPOINT)
    .action(
      act(async ({ api, output, prompt }, _: object, id: string) => {
        await prompt.confirm(`Remove ${id}`);
        output.done(await api.send<object>("DELETE", pathOf(id), undefined), "The endpoint is removed.");
      }),
    );
}

function addDeliveries(webhooks: Command, act: Act): void {
  withPages(webhooks.command("deliveries").description("list what was sent to one, the newest first"))
    .argument("<endpoint>", ENDPOINT)
    .action(
      act(async ({ api, output }, flags: PageFlags, id: string) => {
        output.list(await api.get<Page<DeliveryRecord>>(`${pathOf(id)}/deliveries`, pageQuery(flags)), {
          ID: (delivery) => delivery.id,
          TIME: ({ createdAt }) => createdAt,
          EVENT: ({ type }) => type,
          STATUS: ({ status, nextAttemptAt }) => (status === "failed" && nextAttemptAt !== null ? "retrying" : status),
          TRIES: ({ attempts }) => attempts,
          NEXT: ({ nextAttemptAt }) => nextAttemptAt,
          ANSWER: ({ responseStatus, error }) => error ?? responseStatus,
        });
      }),
    );

  webhooks
    .command("replay")
    .description("send something once more")
    .argument("<endpoint>", ENDPOINT)
    .argument("<delivery>", "its id, as `webhooks deliveries` shows it")
    .action(
      act(async ({ api, output }, _: object, id: string, deliveryId: string) => {
        const path = `${pathOf(id)}/deliveries/${encodeURIComponent(deliveryId)}/replay`;
        const sent = await api.send<DeliveryRecord>("POST", path);
        output.done(sent, `${sent.type} is sent once more.`);
      }),
    );
}

const pathOf = (id: string): string => `/api/webhook-endpoints/${encodeURIComponent(id)}`;
