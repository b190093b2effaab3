import { parameterNames } from "../../src/http/path.ts";
import type { Route } from "../../src/http/route.ts";
import { MASTER_KEY } from "../app.ts";
import { newCall } from "../storage/new-usage.ts";
import { BILLING_SAMPLES } from "./billing-samples.ts";
import { GATEWAY_ADMIN_SAMPLES } from "./gateway-admin-samples.ts";
import { OPENROUTER_SAMPLES } from "./openrouter-samples.ts";
import { PASSKEY_SAMPLES } from "./passkey-samples.ts";
import { CONNECT, CONNECT_VERIFIER, newCode, newConnectCode, newDevice } from "./sign-in-samples.ts";
import { TRAINING_SAMPLES } from "./training-samples.ts";
import { nameOf, quickHash, type Tenant, type World } from "./world.ts";

/** A good call of a route for somebody of a tenant, on things that were made for it alone. */
export interface Sample {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
  /** What the call needs beside a credential, such as a signature of its body. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A session counts only as a cookie. */
  readonly fromBrowser?: boolean;
}

export type MakeSample = (world: World, tenant: Tenant, callerId: number) => Promise<Sample> | Sample;

const unique = (what: string): string => `${what} ${crypto.randomUUID()}`;
const nothing: MakeSample = () => ({});
const organization: MakeSample = (_, { organizationId }) => ({ params: { id: organizationId } });
/** An organization whose quota was set before, so that setting it changes a row. */
const limited: MakeSample = async (world, { organizationId }) => {
  await world.app.storage.accounts.organizations.putStorageQuota(organizationId, 1);
  return { params: { id: organizationId } };
};
/** One that had credit before: the first grant of all makes accounts that later ones only change. */
const funded: MakeSample = async (world, { organizationId }) => {
  const credit = {
    kind: "grant",
    amount: 1n,
    against: "grants",
    at: Date.now(),
    actor: "system",
    details: {},
  } as const;
  await world.app.storage.accounts.credits.post({ ...credit, organizationId, key: organizationId, reason: "A test" });
  return { params: { id: organizationId } };
};
const team: MakeSample = async (world, tenant) => ({ params: { id: await freshTeam(world, tenant) } });
const key: MakeSample = async (world, tenant) => ({ params: { id: (await freshKey(world, tenant)).id } });
const invitation: MakeSample = async (world, tenant) => ({ params: { id: (await world.newInvitation(tenant)).id } });
const user: MakeSample = async (world) => ({ params: { id: String((await world.newPerson()).id) } });

/** A call that somebody of the tenant made. */
const call: MakeSample = async (world, { organizationId, teamId, key: { id: keyId }, people }) => {
  const made = newCall({ organizationId, teamId, keyId, userId: people.member.id, at: Date.now() });
  await world.app.storage.usage.record([made]);
  return { params: { id: made.id } };
};

async function freshTeam(world: World, { organizationId, people }: Tenant): Promise<string> {
  const id = await world.newTeam(organizationId);
  await world.joinTeam(id, people.lead.id, "admin");
  await world.joinTeam(id, people.member.id, "member");
  return id;
}

const freshKey = (world: World, { teamId, people }: Tenant) => world.newKey(teamId, people.member.id);

async function freshMember(world: World, { organizationId, teamId }: Tenant): Promise<number> {
  const { id } = await world.newPerson();
  const { organizationMembers } = world.app.storage.accounts;
  await organizationMembers.insert({ organizationId, userId: id, role: "member", joinedAt: Date.now() });
  await world.joinTeam(teamId, id, "member");
  return id;
}

/** A stored model and a stored credential. They belong to no tenant, so one of each serves until somebody removes it. */
const lastModel = new WeakMap<World, string>();
const model: MakeSample = async (world) => {
  const last = lastModel.get(world);
  if (last !== undefined && (await world.app.storage.accounts.deployments.find(last))) return { params: { id: last } };
  const litellm_params = { model: "echo/chat", api_key: world.secret("provider key", `canary-${crypto.randomUUID()}`) };
  const made = await world.call("/model/new", {
    key: MASTER_KEY,
    json: { model_name: unique("model"), litellm_params },
  });
  const { model_id: id } = JSON.parse(made.text) as { model_id: string };
  lastModel.set(world, id);
  return { params: { id } };
};
/** One that was switched before: the first time makes a row, which is another thing to do. */
const switched: MakeSample = async (world, ...others) => {
  const sample = await model(world, ...others);
  const unset = { enabled: true, weight: null, restUntil: null, clearedAt: null, updatedAt: 1 };
  await world.app.storage.accounts.deploymentSwitches.put({ ...unset, deploymentId: sample.params?.id ?? "" });
  return sample;
};
/** What operators set at run time, made by the path that makes it. */
const ruled =
  (path: string, method: string, json: object, params: Record<string, string>): MakeSample =>
  async (world) => {
    await world.call(`/api/admin/${path}`, { method, key: MASTER_KEY, json });
    return { params };
  };
const alias = ruled("aliases/nick", "PUT", { model: "echo" }, { alias: "nick" });
const fallback = ruled("fallbacks/general/echo", "PUT", { targets: [] }, { kind: "general", group: "echo" });
const markup = ruled("markup", "PUT", { percent: 1 }, {});
const guardrail = ruled("guardrails", "POST", { name: "a guard", definition: { guardrail: "pii" } }, { id: "a guard" });
const lastCredential = new WeakMap<World, string>();
const credential: MakeSample = async (world) => {
  const last = lastCredential.get(world);
  const isThere = last !== undefined && (await world.app.storage.accounts.credentials.find(last)) !== null;
  const name = isThere ? last : crypto.randomUUID();
  lastCredential.set(world, name);
  if (isThere) return { params: { id: "openai", name } };
  const values = { api_key: world.secret("provider key", `canary-${crypto.randomUUID()}`) };
  await world.call("/api/admin/providers/openai/credentials", { key: MASTER_KEY, json: { name, values } });
  return { params: { id: "openai", name } };
};

const member: MakeSample = async (world, tenant) => ({
  params: { id: tenant.organizationId, userId: String(await freshMember(world, tenant)) },
});

const withBody =
  (make: MakeSample, body: () => Record<string, unknown>): MakeSample =>
  async (world, tenant, callerId) => ({ ...(await make(world, tenant, callerId)), body: body() });

/** Every operation of the platform's API. One that is not here fails the tests that need it. */
const SAMPLES: Readonly<Record<string, MakeSample>> = {
  ...BILLING_SAMPLES,
  ...TRAINING_SAMPLES,
  ...PASSKEY_SAMPLES,
  ...OPENROUTER_SAMPLES,
  "GET /api/models": nothing,
  "GET /api/models/{model_id...}": () => ({ params: { model_id: "echo" } }),
  "GET /api/providers": nothing,
  "GET /api/agents/skill": nothing,
  "POST /api/auth/signup": (world) => ({
    body: {
      email: `${crypto.randomUUID()}@security.test`,
      password: world.secret("password", `canary-password-${crypto.randomUUID()}`),
    },
  }),
  "POST /api/auth/token": async (world) => {
    const { email, password } = await world.newPerson();
    return { body: { email, password } };
  },
  "POST /api/auth/token/refresh": nothing,
  "POST /api/auth/impersonation/stop": () => ({
    headers: { cookie: `__Host-turnpike-seen-as=${crypto.randomUUID()}`, origin: "http://turnpike.test" },
  }),
  "POST /api/auth/logout": nothing,
  "GET /api/auth/me": nothing,
  "GET /api/management-tokens": nothing,
  "POST /api/management-tokens": () => ({ body: { name: unique("Token"), scopes: ["keys:read"] } }),
  "DELETE /api/management-tokens/{id}": async (world, tenant, callerId) => ({
    params: { id: (await world.newManagementToken(tenant, callerId)).id },
  }),
  "GET /api/auth/sessions": nothing,
  "DELETE /api/auth/sessions/{id}": async (world, _, callerId) => ({
    params: { id: (await world.newSession(callerId)).sessionId },
  }),
  "POST /api/auth/password/change": async (world, { people }) => {
    await world.resetPassword(people.owner);
    return {
      body: {
        currentPassword: people.owner.password,
        newPassword: world.secret("password", `canary-password-${crypto.randomUUID()}`),
      },
    };
  },
  "GET /api/auth/oidc": nothing,
  "GET /api/auth/oidc/login": nothing,
  "GET /api/auth/oidc/callback": nothing,
  "POST /api/auth/device/code": async (world) => {
    await world.app.storage.accounts.deviceLogins.removeOver(Number.MAX_SAFE_INTEGER);
    return {};
  },
  "POST /api/auth/device/token": async (world, _, callerId) => ({
    body: { deviceCode: (await newDevice(world, callerId)).deviceCode },
  }),
  "POST /api/auth/device/approve": async (world) => ({ body: { userCode: (await newDevice(world, null)).userCode } }),
  "GET /api/auth/connect": () => ({ query: CONNECT }),
  "POST /api/auth/connect": (_, { teamId }) => ({ body: { ...CONNECT, teamId } }),
  "POST /api/v1/auth/keys": async (world, tenant) => ({
    body: { code: await newConnectCode(world, tenant), code_verifier: CONNECT_VERIFIER },
  }),
  "POST /api/auth/2fa/setup": async (world, _, callerId) => {
    await world.app.storage.accounts.twoFactors.remove(callerId);
    return {};
  },
  "POST /api/auth/2fa/enable": async (world, _, callerId) => {
    const password = world.secret("password", `canary-password-${crypto.randomUUID()}`);
    await world.app.storage.accounts.users.update(callerId, { passwordHash: await quickHash(password) });
    return { body: { code: await newCode(world, callerId, false), password } };
  },
  "POST /api/auth/2fa/disable": async (world, _, callerId) => ({
    body: { code: await newCode(world, callerId, true) },
  }),
  "POST /api/auth/2fa/recovery-codes": async (world, _, callerId) => ({
    body: { code: await newCode(world, callerId, true) },
  }),
  "POST /api/auth/password/forgot": async (world) => ({ body: { email: (await world.newPerson()).email } }),
  "POST /api/auth/password/reset": async (world) => ({
    body: {
      token: await world.newLink("password_reset"),
      password: world.secret("password", `canary-password-${crypto.randomUUID()}`),
    },
  }),
  "POST /api/auth/verify-email": async (world, _, callerId) => ({
    body: { token: await world.newLink("verify_email", callerId) },
  }),
  "POST /api/auth/verify-email/resend": async (world, _, callerId) => {
    // Without mail there is a letter for nobody, but for who needs none.
    await world.app.storage.accounts.users.update(callerId, { emailVerifiedAt: Date.now() });
    return {};
  },
  "GET /api/gw/organizations/list": nothing,
  "POST /api/gw/organizations": withBody(nothing, () => ({ name: unique("Made") })),
  "PUT /api/gw/organizations": (_, { organizationId }) => ({ body: { id: organizationId, name: unique("Renamed") } }),
  "POST /api/gw/organizations/active": (_, { organizationId }) => ({ body: { organizationId } }),
  "GET /api/gw/organizations/{id}": organization,
  "GET /api/gw/organizations/{id}/members": organization,
  "GET /api/gw/organizations/{id}/storage": organization,
  "PATCH /api/gw/organizations/{id}/members/{userId}": withBody(member, () => ({ role: "viewer" })),
  "DELETE /api/gw/organizations/{id}/members/{userId}": member,
  "GET /api/gw/teams": nothing,
  "POST /api/gw/teams": withBody(nothing, () => ({ name: unique("Made") })),
  "GET /api/gw/teams/{id}": team,
  "PATCH /api/gw/teams/{id}": withBody(team, () => ({ name: unique("Renamed") })),
  "DELETE /api/gw/teams/{id}": team,
  "GET /api/gw/teams/{id}/members": team,
  "PATCH /api/gw/teams/{id}/members/{userId}": async (world, tenant) => ({
    params: { id: tenant.teamId, userId: String(await freshMember(world, tenant)) },
    body: { role: "admin" },
  }),
  "POST /api/gw/teams/invite-member": async (world, tenant) => ({
    body: { teamId: tenant.teamId, email: (await world.newPerson()).email, role: "member" },
  }),
  "POST /api/gw/teams/remove-member": async (world, tenant) => ({
    body: { teamId: tenant.teamId, memberId: await freshMember(world, tenant) },
  }),
  "GET /api/invitations": nothing,
  "POST /api/invitations/preview": async (world, tenant) => ({
    body: { token: (await world.newInvitation(tenant)).token },
  }),
  "POST /api/invitations/accept": async (world, tenant, callerId) => {
    const user = await world.app.storage.accounts.users.find(callerId);
    // To somebody who is not there yet each time, as far as the tenant's own people can be: else less would change.
    const isOwn = Object.values(tenant.people).some(({ id }) => id === callerId);
    if (!isOwn) await world.app.storage.accounts.organizationMembers.remove(tenant.organizationId, callerId);
    const team = { ...tenant, teamId: await freshTeam(world, tenant) };
    return { body: { token: (await world.newInvitation(team, user?.email)).token } };
  },
  "POST /api/invitations/{id}/resend": invitation,
  "DELETE /api/invitations/{id}": invitation,
  "GET /api/api-keys": nothing,
  "POST /api/gw/api-keys": (_, { teamId }) => ({ body: { teamId, name: unique("Made") } }),
  "GET /api/gw/api-keys/{id}": key,
  "POST /api/api-keys/update": async (world, tenant) => ({
    body: { token: (await freshKey(world, tenant)).handle, name: unique("Renamed") },
  }),
  "PATCH /api/gw/api-keys/{id}": withBody(key, () => ({ name: unique("Renamed") })),
  "POST /api/gw/api-keys/{id}/rotate": withBody(key, () => ({})),
  "POST /api/gw/api-keys/{id}/pick-up": async (world, { teamId, people }) => ({
    params: { id: (await world.newWaitingKey(teamId, people.member.id)).id },
  }),
  "POST /api/gw/api-keys/{id}/disable": key,
  "POST /api/gw/api-keys/{id}/enable": async (world, { teamId, people }) => ({
    params: { id: (await world.newKey(teamId, people.member.id, { status: "disabled" })).id },
  }),
  "POST /api/api-keys/remove": async (world, tenant) => ({ body: { apiKey: (await freshKey(world, tenant)).value } }),
  "DELETE /api/gw/api-keys/{id}": key,
  "POST /api/gw/messages": async (world, tenant) => ({
    body: {
      apiKey: (await freshKey(world, tenant)).value,
      model: "echo",
      messages: [{ role: "user", content: "hello" }],
    },
  }),
  "GET /api/gw/logs": call,
  "GET /api/gw/logs/export": call,
  "GET /api/gw/logs/{id}": call,
  "GET /api/gw/usage": call,
  "GET /api/gw/usage/tags": call,
  "GET /api/admin/logs": nothing,
  "GET /api/admin/logs/{id}": call,
  "GET /api/admin/stats": nothing,
  "GET /api/admin/usage": nothing,
  "GET /api/balance": nothing,
  "GET /api/quota": nothing,
  "GET /api/billing/ledger": nothing,
  "GET /api/admin/ledger/verify": nothing,
  "GET /api/admin/deployments": nothing,
  "PATCH /api/admin/deployments/{id}": withBody(switched, () => ({ weight: 2 })),
  "POST /api/admin/deployments/{id}/cooldown": withBody(switched, () => ({ action: "start", seconds: 5 })),
  "GET /api/admin/aliases": nothing,
  "PUT /api/admin/aliases/{alias...}": withBody(alias, () => ({ model: "echo" })),
  "DELETE /api/admin/aliases/{alias...}": alias,
  "GET /api/admin/fallbacks": nothing,
  "PUT /api/admin/fallbacks/{kind}/{group...}": withBody(fallback, () => ({ targets: [] })),
  "DELETE /api/admin/fallbacks/{kind}/{group...}": fallback,
  "GET /api/admin/markup": nothing,
  "PUT /api/admin/markup": withBody(markup, () => ({ percent: 3 })),
  "DELETE /api/admin/markup": markup,
  "GET /api/admin/guardrails": nothing,
  "POST /api/admin/guardrails": async (world, ...others) => {
    await guardrail(world, ...others);
    return { body: { name: unique("guard "), definition: { guardrail: "pii" } } };
  },
  "GET /api/admin/guardrails/{id}": guardrail,
  "PUT /api/admin/guardrails/{id}": withBody(guardrail, () => ({ definition: { guardrail: "secrets" } })),
  "DELETE /api/admin/guardrails/{id}": guardrail,
  "POST /api/admin/guardrails/test": () => ({ body: { definition: { guardrail: "pii" }, text: "bob@example.com" } }),
  "GET /api/admin/cache": nothing,
  "POST /api/admin/cache/flush": nothing,
  "POST /api/admin/organizations/{id}/credits": withBody(funded, () => ({ amount: 1_000, reason: "A test" })),
  "GET /api/admin/users": nothing,
  "GET /api/admin/users/{id}": user,
  "PATCH /api/admin/users/{id}": withBody(user, () => ({ name: unique("Renamed") })),
  "DELETE /api/admin/users/{id}": user,
  "POST /api/admin/users/{id}/password-reset": user,
  "POST /api/admin/users/{id}/impersonate": async (...given) => ({
    ...(await user(...given)),
    body: { reason: "A test" },
    fromBrowser: true,
  }),
  "DELETE /api/admin/users/{id}/2fa": async (world) => {
    const { id } = await world.newPerson();
    await newCode(world, id, true);
    return { params: { id: String(id) } };
  },
  "GET /api/admin/models": nothing,
  "POST /api/admin/models": async (world, ...others) => {
    // The very first change of models also makes the row that tells of changes; this is not it.
    await model(world, ...others);
    const apiKey = world.secret("provider key", `canary-${crypto.randomUUID()}`);
    return { body: { provider: "echo", inferenceModelId: "chat", name: unique("model"), apiKey } };
  },
  "GET /api/admin/models/{id}": model,
  "PUT /api/admin/models/{id}": withBody(model, () => ({ name: unique("renamed") })),
  "DELETE /api/admin/models/{id}": model,
  "POST /api/admin/models/{id}/test": model,
  "POST /api/admin/prices/import": withBody(model, () => ({
    prices: { "echo/chat": { input_cost_per_token: `${Date.now()}e-15` } },
    dryRun: false,
  })),
  "GET /api/admin/model-table": nothing,
  "POST /api/admin/model-table": withBody(model, () => ({
    table: { date: "2099-01-01", models: { "openai/x": {} } },
    dryRun: true,
  })),
  "DELETE /api/admin/model-table": nothing,
  "GET /api/admin/providers": nothing,
  "GET /api/admin/providers/{id}": () => ({ params: { id: "openai" } }),
  "POST /api/admin/providers/{id}/credentials": (world) => ({
    params: { id: "openai" },
    body: {
      name: crypto.randomUUID(),
      values: { api_key: world.secret("provider key", `canary-${crypto.randomUUID()}`) },
    },
  }),
  "PUT /api/admin/providers/{id}/credentials/{name}": withBody(credential, () => ({
    values: { api_version: unique("v") },
  })),
  "DELETE /api/admin/providers/{id}/credentials/{name}": credential,
  "GET /api/admin/settings": nothing,
  "GET /api/admin/organizations": nothing,
  "GET /api/admin/organizations/{id}": organization,
  "PATCH /api/admin/organizations/{id}": withBody(organization, () => ({ name: unique("Renamed") })),
  "GET /api/admin/organizations/{id}/storage": organization,
  "PUT /api/admin/organizations/{id}/storage": withBody(limited, () => ({ quotaMb: 2_048 })),
  "GET /api/admin/teams": nothing,
  "GET /api/admin/api-keys": nothing,
  "POST /api/admin/teams/{id}/block": team,
  "POST /api/admin/teams/{id}/unblock": async (world, { organizationId }) => ({
    params: { id: await world.newTeam(organizationId, "blocked") },
  }),
  "GET /api/admin/audit-logs": nothing,
  "GET /api/admin/audit-logs/export": nothing,
  "GET /api/admin/audit-logs/verify": nothing,
  "GET /api/gw/organizations/{id}/audit-logs": organization,
  "GET /api/gw/organizations/{id}/audit-logs/export": organization,
  "POST /api/admin/config/reload": nothing,
};

/** Of the platform's API, or of the same services' other face. What lies under `/api/v1` for keys is the gateway's. */
export const isPlatformRoute = (route: Route): boolean =>
  (route.paths[0].startsWith("/api/") && route.auth !== "key") || nameOf(route) in GATEWAY_ADMIN_SAMPLES;

/** `callerId` is the user who is going to send it. */
export async function sampleOf(world: World, tenant: Tenant, route: Route, callerId: number): Promise<Sample> {
  const make = SAMPLES[nameOf(route)] ?? GATEWAY_ADMIN_SAMPLES[nameOf(route)];
  if (!make) throw new Error(`${nameOf(route)} has no sample in test/security/samples.ts`);
  return make(world, tenant, callerId);
}

export const pathWith = (pattern: string, params: Readonly<Record<string, string>>): string =>
  parameterNames(pattern).reduce((path, name) => {
    const value = params[name];
    if (value === undefined) throw new Error(`the sample of ${pattern} has no ${name}`);
    return path.replace(new RegExp(`\\{${name}(\\.\\.\\.)?\\}`), encodeURIComponent(value));
  }, pattern);

/** The query of a sample, with more behind it. */
export const queryWith = (...parts: (Readonly<Record<string, string>> | undefined)[]): string => {
  const text = new URLSearchParams(Object.assign({}, ...parts)).toString();
  return text === "" ? "" : `?${text}`;
};
