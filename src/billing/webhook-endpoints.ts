import type { SessionCaller } from "../contract/caller.ts";
import { GatewayError } from "../contract/errors.ts";
import type { PageNumbers } from "../contract/paging.ts";
import type { Clock } from "../lib/clock.ts";
import { newId } from "../lib/ids.ts";
import type { BillingAccess } from "./billing-access.ts";
import type { ListedDelivery, WebhookEndpoint } from "./records.ts";
import type { BillingStores, Paged } from "./store.ts";
import { endpointSecret } from "./webhook-signature.ts";

export interface WebhookEndpointDeps {
  readonly stores: BillingStores;
  readonly access: BillingAccess;
  readonly clock: Clock;
  readonly rootSecret: string;
  /** Throws for an address to which nothing may be sent. */
  readonly checkUrl: (url: string) => void;
}

interface Person {
  readonly caller: SessionCaller;
  readonly address: string | null;
}

export interface EndpointFields {
  readonly url?: string | undefined;
  readonly description?: string | null | undefined;
  readonly events?: readonly string[] | undefined;
  readonly status?: "active" | "disabled" | undefined;
}

/** An endpoint with its secret, which is seen when it is made. */
export interface FreshEndpoint {
  readonly endpoint: WebhookEndpoint;
  readonly secret: string;
}

const ENDPOINTS_MAX = 20;

/** Where organizations are told what happens to their credit. For owners and administrators. */
export class WebhookEndpoints {
  constructor(private readonly deps: WebhookEndpointDeps) {}

  async list(caller: SessionCaller, named: string | null): Promise<readonly WebhookEndpoint[]> {
    const { id } = await this.deps.access(caller, named, "admin");
    return this.deps.stores.endpoints.list(id);
  }

  async create(actor: Person, named: string | null, fields: EndpointFields & { url: string }): Promise<FreshEndpoint> {
    const { stores, access, clock, checkUrl } = this.deps;
    const { id: organizationId } = await access(actor.caller, named, "admin");
    requireWebAddress(fields.url);
    checkUrl(fields.url);
    const now = clock.nowMs();
    const endpoint: WebhookEndpoint = {
      id: newId(),
      organizationId,
      url: fields.url,
      description: fields.description ?? null,
      events: fields.events ?? [],
      status: fields.status ?? "active",
      secretVersion: 1,
      createdBy: actor.caller.userId,
      createdAt: now,
      updatedAt: now,
    };
    await stores.transaction(async (tx) => {
      await tx.endpoints.lock(organizationId);
      if ((await tx.endpoints.list(organizationId)).length >= ENDPOINTS_MAX) {
        throw new GatewayError("conflict", `An organization has at most ${ENDPOINTS_MAX} endpoints.`);
      }
      await tx.endpoints.insert(endpoint);
      await this.#note(tx, actor, "webhook_endpoint.create", endpoint);
    });
    return this.#withSecret(endpoint);
  }

  async get(caller: SessionCaller, id: string): Promise<WebhookEndpoint> {
    const endpoint = await this.deps.stores.endpoints.find(id);
    if (!endpoint) throw noEndpoint();
    await this.deps.access(caller, endpoint.organizationId, "admin", noEndpoint);
    return endpoint;
  }

  async update(actor: Person, id: string, fields: EndpointFields): Promise<WebhookEndpoint> {
    return this.#change(actor, id, "webhook_endpoint.update", async (tx, endpoint) => {
      if (fields.url !== undefined) {
        requireWebAddress(fields.url);
        this.deps.checkUrl(fields.url);
      }
      const { url = endpoint.url, description = endpoint.description } = fields;
      const { events = endpoint.events, status = endpoint.status } = fields;
      const changes = { url, description, events, status, updatedAt: this.deps.clock.nowMs() };
      await tx.endpoints.update(id, changes);
      return { ...endpoint, ...changes };
    });
  }

  /** The old secret ends at once. */
  async rotate(actor: Person, id: string): Promise<FreshEndpoint> {
    const rotated = await this.#change(actor, id, "webhook_endpoint.rotate", async (tx, endpoint) => {
      const changes = { secretVersion: endpoint.secretVersion + 1, updatedAt: this.deps.clock.nowMs() };
      await tx.endpoints.update(id, changes);
      return { ...endpoint, ...changes };
    });
    return this.#withSecret(rotated);
  }

  async remove(actor: Person, id: string): Promise<void> {
    await this.#change(actor, id, "webhook_endpoint.remove", async (tx, endpoint) => {
      await tx.endpoints.remove(id);
      return endpoint;
    });
  }

  /** As it is once nobody else changes it: what was read before may be written back over what another has changed. */
  async #change(
    actor: Person,
    id: string,
    action: string,
    work: (tx: BillingStores, endpoint: WebhookEndpoint) => Promise<WebhookEndpoint>,
  ): Promise<WebhookEndpoint> {
    const { organizationId } = await this.get(actor.caller, id);
    return this.deps.stores.transaction(async (tx) => {
      await tx.endpoints.lock(organizationId);
      const endpoint = await tx.endpoints.find(id);
      if (!endpoint) throw noEndpoint();
      const changed = await work(tx, endpoint);
      await this.#note(tx, actor, action, endpoint);
      return changed;
    });
  }

  async deliveries(caller: SessionCaller, id: string, page: PageNumbers): Promise<Paged<ListedDelivery>> {
    await this.get(caller, id);
    return this.deps.stores.deliveries.list(id, page);
  }

  async replay(actor: Person, id: string, deliveryId: string): Promise<ListedDelivery> {
    const { stores, clock } = this.deps;
    const delivery = await stores.deliveries.find(deliveryId);
    if (delivery?.endpointId !== id) throw noDelivery();
    await this.deps.access(actor.caller, delivery.organizationId, "admin", noDelivery);
    const endpoint = await this.get(actor.caller, id);
    const now = clock.nowMs();
    await stores.transaction(async (tx) => {
      await tx.deliveries.replay(deliveryId, now);
      await this.#note(tx, actor, "webhook_endpoint.replay", endpoint);
    });
    return { ...delivery, status: "pending", updatedAt: now, nextAttemptAt: now };
  }

  #withSecret(endpoint: WebhookEndpoint): FreshEndpoint {
    return { endpoint, secret: endpointSecret(this.deps.rootSecret, endpoint.id, endpoint.secretVersion) };
  }

  #note(tx: BillingStores, { caller, address }: Person, action: string, endpoint: WebhookEndpoint): Promise<void> {
    const { id, organizationId } = endpoint;
    const by = { userId: caller.userId, address };
    return tx.audit.note(
      { action, organizationId, targetType: "webhook_endpoint", targetId: id, by },
      this.deps.clock.nowMs(),
    );
  }
}

const noDelivery = (): GatewayError => new GatewayError("not_found", "There is no such delivery.");
const noEndpoint = (): GatewayError => new GatewayError("not_found", "There is no such webhook endpoint.");

function requireWebAddress(text: string): void {
  const isAddress = /^https?:\/\/[^\s\p{Cc}]+$/u.test(text) && URL.canParse(text);
  if (isAddress) return;
  throw new GatewayError("invalid_request", "url: it must be an address that begins with https:// or http://.", {
    param: "url",
  });
}
