import Type from "typebox";
import type { ListedDelivery, WebhookEndpoint } from "../../billing/records.ts";
import type { FreshEndpoint, WebhookEndpoints } from "../../billing/webhook-endpoints.ts";
import { Done } from "../../contract/organizations.ts";
import { cutPage, PagedList, PageQuery, paged, pageOf } from "../../contract/paging.ts";
import {
  CreateEndpointBody,
  DeliveryRecord,
  EndpointRecord,
  FreshEndpointRecord,
  UpdateEndpointBody,
} from "../../contract/purchases.ts";
import { sortingOf, sortQuery, sortRows } from "../../contract/sorting.ts";
import { isoTime, isoTimeOrNull } from "../../contract/users.ts";
import { json } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";
import { namedOrganization } from "../organizations/named-organization.ts";

const NOT_STORED = { "cache-control": "no-store" };
const OLDEST_FIRST = { by: "createdAt", direction: "asc" } as const;
const shared = { tag: "Webhooks", auth: "session" } as const;
const Id = Type.Object({ id: Type.String() });
const LIST = { ...shared, paths: ["/api/webhook-endpoints"] } as const;
const ONE = { ...shared, paths: ["/api/webhook-endpoints/{id}"], params: Id } as const;

export const webhookEndpointRoutes = (endpoints: WebhookEndpoints): Route[] => [
  ...listRoutes(endpoints),
  ...oneRoutes(endpoints),
  ...deliveryRoutes(endpoints),
];

const listRoutes = (endpoints: WebhookEndpoints): Route[] => [
  route({
    ...LIST,
    method: "GET",
    summary: "List the organization's webhook endpoints",
    query: Type.Object({ ...PageQuery.properties, ...sortQuery(["url", "status", "createdAt"], "the oldest first") }),
    success: PagedList(EndpointRecord),
    errors: ["permission", "not_found"],
    async handle({ caller, query, request }) {
      const page = pageOf(query);
      const found = await endpoints.list(caller, namedOrganization(request));
      const all = sortRows(found, sortingOf(query, OLDEST_FIRST), (endpoint) => endpoint);
      return json(paged(cutPage(all, page).map(endpointRecord), page, all.length));
    },
  }),
  route({
    ...LIST,
    method: "POST",
    summary: "Add a webhook endpoint",
    description:
      "What happens to the organization's credit is posted there, signed as Standard Webhooks has it (`webhook-id`, " +
      "`webhook-timestamp`, `webhook-signature`). `secret` is shown here and after a rotation. What is not answered with 2xx is sent " +
      "again for three days. Only public addresses are called. Needs the role admin or owner.",
    body: CreateEndpointBody,
    success: FreshEndpointRecord,
    successStatus: 201,
    errors: ["invalid_request", "permission", "not_found", "conflict"],
    async handle({ caller, body, request, connection }) {
      const actor = { caller, address: connection.remoteAddress };
      const { url, description, events } = body;
      const made = await endpoints.create(actor, namedOrganization(request), { url, description, events });
      return json(freshRecord(made), 201, NOT_STORED);
    },
  }),
];

const oneRoutes = (endpoints: WebhookEndpoints): Route[] => [
  route({
    ...ONE,
    method: "GET",
    summary: "Show a webhook endpoint",
    success: EndpointRecord,
    errors: ["permission", "not_found"],
    handle: async ({ caller, params }) => json(endpointRecord(await endpoints.get(caller, params.id))),
  }),
  route({
    ...ONE,
    method: "PATCH",
    summary: "Change a webhook endpoint",
    body: UpdateEndpointBody,
    success: EndpointRecord,
    errors: ["invalid_request", "permission", "not_found"],
    async handle({ caller, params, body, connection }) {
      const { url, description, events, status } = body;
      const actor = { caller, address: connection.remoteAddress };
      return json(endpointRecord(await endpoints.update(actor, params.id, { url, description, events, status })));
    },
  }),
  route({
    ...ONE,
    method: "DELETE",
    summary: "Remove a webhook endpoint and the record of its deliveries",
    success: Done,
    errors: ["permission", "not_found"],
    async handle({ caller, params, connection }) {
      await endpoints.remove({ caller, address: connection.remoteAddress }, params.id);
      return json({ success: true });
    },
  }),
  route({
    ...shared,
    paths: ["/api/webhook-endpoints/{id}/rotate"],
    params: Id,
    method: "POST",
    summary: "Give a webhook endpoint a new secret; the old one ends at once",
    success: FreshEndpointRecord,
    errors: ["permission", "not_found"],
    async handle({ caller, params, connection }) {
      const actor = { caller, address: connection.remoteAddress };
      return json(freshRecord(await endpoints.rotate(actor, params.id)), 200, NOT_STORED);
    },
  }),
];

const deliveryRoutes = (endpoints: WebhookEndpoints): Route[] => [
  route({
    ...shared,
    paths: ["/api/webhook-endpoints/{id}/deliveries"],
    params: Id,
    method: "GET",
    summary: "List what was sent to a webhook endpoint, the newest first",
    query: PageQuery,
    success: PagedList(DeliveryRecord),
    errors: ["permission", "not_found"],
    async handle({ caller, params, query }) {
      const page = pageOf(query);
      const { rows, total } = await endpoints.deliveries(caller, params.id, page);
      return json(paged(rows.map(deliveryRecord), page, total));
    },
  }),
  route({
    ...shared,
    paths: ["/api/webhook-endpoints/{id}/deliveries/{deliveryId}/replay"],
    params: Type.Object({ id: Type.String(), deliveryId: Type.String() }),
    method: "POST",
    summary: "Send a delivery once more",
    success: DeliveryRecord,
    errors: ["permission", "not_found"],
    async handle({ caller, params, connection }) {
      const actor = { caller, address: connection.remoteAddress };
      return json(deliveryRecord(await endpoints.replay(actor, params.id, params.deliveryId)));
    },
  }),
];

const endpointRecord = (endpoint: WebhookEndpoint): EndpointRecord => ({
  id: endpoint.id,
  organizationId: endpoint.organizationId,
  url: endpoint.url,
  description: endpoint.description,
  events: [...endpoint.events],
  status: endpoint.status,
  createdAt: isoTime(endpoint.createdAt),
  updatedAt: isoTime(endpoint.updatedAt),
});

const freshRecord = ({ endpoint, secret }: FreshEndpoint): FreshEndpointRecord => ({
  ...endpointRecord(endpoint),
  secret,
});

const deliveryRecord = (delivery: ListedDelivery): object => ({
  id: delivery.id,
  eventId: delivery.eventId,
  type: delivery.type,
  status: delivery.status,
  attempts: delivery.attempts,
  responseStatus: delivery.responseStatus,
  error: delivery.error,
  nextAttemptAt: isoTimeOrNull(delivery.nextAttemptAt),
  payload: JSON.parse(delivery.payload),
  createdAt: isoTime(delivery.createdAt),
  updatedAt: isoTime(delivery.updatedAt),
});
