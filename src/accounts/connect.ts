import { createHash, timingSafeEqual } from "node:crypto";
import type { SessionCaller } from "../contract/caller.ts";
import { GatewayError } from "../contract/errors.ts";
import type { Clock } from "../lib/clock.ts";
import { hmacHex } from "../lib/hmac.ts";
import { newId, randomBase62 } from "../lib/ids.ts";
import { type Callback, parseCallback, tellBack } from "./callback-address.ts";
import { callerOf } from "./caller-of.ts";
import { change, noteChange } from "./change.ts";
import { lockSignedIn, lockUser } from "./end-sign-ins.ts";
import { KeyThrottle } from "./key-throttle.ts";
import type { Keys } from "./keys.ts";
import { isKeyMaker } from "./keys-access.ts";
import type { KeySettings } from "./keys-settings.ts";
import type { ConnectGrant } from "./sign-in-records.ts";
import type { AccountStores } from "./store.ts";

/** An app fetches its key within a moment of the person's yes. */
const LIFETIME_MS = 5 * 60 * 1000;
const CODE_CHARS = 43;
const STATE_CHARS_MAX = 500;
/** base64url of 32 bytes. */
const CHALLENGE = /^[\w-]{43}$/;
const NAME_CHARS_MAX = 90;
/** What a key gets unless the person says otherwise. An app can do no more harm than that. */
const BUDGET_NANO = 10_000_000_000;
const BUDGET_WINDOW = "month";
const KEY_LIFETIME_MS = 90 * 24 * 60 * 60 * 1000;

export interface ConnectDeps {
  readonly stores: AccountStores;
  readonly keys: Pick<Keys, "create" | "rehearse">;
  readonly clock: Clock;
  readonly codePepper: Uint8Array;
}

/** What an app asks for, as it stands in the address that it sends people to. */
export interface AskedByApp {
  readonly callbackUrl: string;
  readonly challenge: string;
  readonly method?: string | undefined;
  readonly state?: string | undefined;
}

/** A team that the person could give the app a key of. */
export interface OfferedTeam {
  readonly id: string;
  readonly name: string;
  readonly organizationId: string;
  readonly organizationName: string;
}

interface Decision {
  readonly caller: SessionCaller;
  readonly address: string | null;
  readonly asked: AskedByApp;
}

interface Yes extends Decision {
  readonly teamId: string;
  readonly settings: LimitsOfKey;
}

type LimitsOfKey = Pick<KeySettings, "budget" | "budgetWindow" | "expiresAt">;

interface Exchange {
  readonly code: string;
  readonly verifier: string;
  readonly method?: string | undefined;
  /** Where the code came to, if the app says so. */
  readonly callbackUrl?: string | undefined;
  readonly address: string | null;
}

/**
 * Gives an app a key of a person's own (PKCE, RFC 7636, in the shape that OpenRouter's apps know): the person says yes in a
 * browser, a code goes to the app's address, and whoever has the code and the secret behind its challenge gets the key, once.
 */
export class Connect {
  /** Of codes that nobody was given. */
  readonly throttle: KeyThrottle;

  constructor(private readonly deps: ConnectDeps) {
    this.throttle = new KeyThrottle(deps.clock, refused);
  }

  /** What the person is asked. Throws for an app that asks in a wrong way; nobody is sent to its address then. */
  async describe(caller: SessionCaller, asked: AskedByApp) {
    const callback = readAsked(asked);
    const expiresAt = this.deps.clock.nowMs() + KEY_LIFETIME_MS;
    const proposed = { budget: BUDGET_NANO, budgetWindow: BUDGET_WINDOW, expiresAt } as const;
    return { callback, name: nameOf(callback.host), teams: await this.teamsOf(caller), proposed };
  }

  /** The address to go to, with the code. */
  async allow({ caller, address, asked, teamId, settings }: Yes): Promise<string> {
    const { stores, keys, clock } = this.deps;
    const callback = readAsked(asked);
    const actor = { caller, address };
    const now = clock.nowMs();
    const limited = withDefaults(settings, now);
    const { team, key } = await keys.rehearse({ actor, teamId, name: nameOf(callback.host), settings: limited });
    const code = randomBase62(CODE_CHARS);
    const { budget, budgetWindow, expiresAt: keyExpiresAt } = key;
    const grant: ConnectGrant = {
      id: newId(),
      codeHash: this.hash(code),
      status: "open",
      userId: caller.userId,
      teamId,
      callbackUrl: callback.url,
      challenge: asked.challenge,
      ...{ budget, budgetWindow, keyExpiresAt },
      createdAt: now,
      expiresAt: now + LIFETIME_MS,
    };
    await stores.connectGrants.removeOver(now);
    await change(
      stores,
      clock,
      actor,
      async (tx) => {
        await lockSignedIn(tx, caller, now);
        await tx.connectGrants.insert(grant);
      },
      () => ({
        ...noteOf("connect.allow", callback),
        organizationId: team.organizationId,
        details: { teamId, budget: budget === null ? null : Number(budget), budgetWindow, expiresAt: keyExpiresAt },
      }),
    );
    return tellBack(callback, withState({ code }, asked));
  }

  /** The address to go to, with the refusal. */
  async deny({ caller, address, asked }: Decision): Promise<string> {
    const { stores, clock } = this.deps;
    const callback = readAsked(asked);
    await noteChange(stores, clock, { caller, address }, noteOf("connect.deny", callback));
    return tellBack(callback, withState({ error: "access_denied" }, asked));
  }

  /** A key for a code. A code is good for one try: with a wrong secret it is over, too. */
  async exchange({ code, verifier, method, callbackUrl, address }: Exchange) {
    const { stores, keys, clock } = this.deps;
    requireS256(method);
    const codeHash = this.hash(code);
    const refusal = (): GatewayError => this.throttle.refusal(codeHash, address, "code");
    const grant = await stores.connectGrants.find(codeHash);
    if (grant?.status !== "open" || grant.expiresAt <= clock.nowMs()) throw refusal();
    if (!isBehind(grant.challenge, verifier) || !isSameAddress(grant.callbackUrl, callbackUrl)) {
      await stores.connectGrants.use(grant.id, clock.nowMs());
      throw refusal();
    }
    const user = await stores.users.find(grant.userId);
    if (!user) throw refusal();
    const { host } = new URL(grant.callbackUrl);
    const { budget, budgetWindow, keyExpiresAt } = grant;
    const made = await keys
      .create({
        actor: { caller: callerOf(user), address },
        teamId: grant.teamId,
        name: nameOf(host),
        isNumbered: true,
        settings: {
          ...(budget === null ? {} : { budget: Number(budget), budgetWindow }),
          expiresAt: keyExpiresAt === null ? null : new Date(keyExpiresAt).toISOString(),
        },
        noted: { app: host },
        first: async (tx) => {
          // One statement decides whose the code is, whichever process the others have come to.
          await lockUser(tx, user.id, clock.nowMs());
          const isActive = (await tx.users.find(user.id))?.status === "active";
          if (!isActive || !(await tx.connectGrants.use(grant.id, clock.nowMs()))) throw refusal();
        },
      })
      .catch((thrown) => {
        throw thrown instanceof GatewayError && thrown.kind === "not_found" ? noLonger() : thrown;
      });
    return { secret: made.secret, userId: user.id };
  }

  /** Where the person may make keys: the organization that they work in comes first. */
  private async teamsOf(caller: SessionCaller): Promise<readonly OfferedTeam[]> {
    const { stores } = this.deps;
    const all = await stores.organizations.listOf(caller.userId);
    const isActive = ({ id }: { id: string }): boolean => id === caller.organizationId;
    const inOrder = [
      ...all.filter(({ organization }) => isActive(organization)),
      ...all.filter(({ organization }) => !isActive(organization)),
    ];
    const offered = inOrder.map(async ({ organization, role }) => {
      const [teams, own] = await Promise.all([
        stores.teams.list(organization.id),
        stores.teamMembers.listTeamsOf(organization.id, caller.userId),
      ]);
      const roles = new Map(own.map((member) => [member.teamId, member.role]));
      return teams
        .filter(({ team }) => isKeyMaker({ role, teamRole: roles.get(team.id) ?? null }))
        .map(({ team: { id, name } }) => ({
          id,
          name,
          organizationId: organization.id,
          organizationName: organization.name,
        }));
    });
    return (await Promise.all(offered)).flat();
  }

  private hash(code: string): string {
    return hmacHex(this.deps.codePepper, `connect:${code}`);
  }
}

/** What is left out is limited; null is no limit. */
function withDefaults({ budget, budgetWindow, expiresAt }: LimitsOfKey, now: number): LimitsOfKey {
  return {
    ...(budget === null
      ? { budgetWindow }
      : { budget: budget ?? BUDGET_NANO, budgetWindow: budgetWindow ?? BUDGET_WINDOW }),
    expiresAt: expiresAt === undefined ? new Date(now + KEY_LIFETIME_MS).toISOString() : expiresAt,
  };
}

function readAsked({ callbackUrl, challenge, method, state }: AskedByApp): Callback {
  const callback = parseCallback(callbackUrl);
  requireS256(method);
  if (!CHALLENGE.test(challenge)) {
    throw invalid("code_challenge", "it is the SHA-256 of the app's verifier as base64url: 43 characters.");
  }
  if (state === undefined) return callback;
  if (state.length > STATE_CHARS_MAX) throw invalid("state", `it has at most ${STATE_CHARS_MAX} characters.`);
  if (new URL(callback.url).searchParams.has("state")) throw invalid("state", "the `callback_url` has one already.");
  return callback;
}

/** Without a hash, whoever sees the address that the person is sent to sees all that there is to know. */
function requireS256(method: string | undefined): void {
  if (method === undefined || method === "S256") return;
  throw invalid("code_challenge_method", "only `S256` is taken.");
}

const withState = (told: Record<string, string>, { state }: AskedByApp) =>
  state === undefined ? told : { ...told, state };

function isBehind(challenge: string, verifier: string): boolean {
  const [wanted, given] = [
    Buffer.from(challenge),
    Buffer.from(createHash("sha256").update(verifier).digest("base64url")),
  ];
  return wanted.length === given.length && timingSafeEqual(wanted, given);
}

const isSameAddress = (url: string, told: string | undefined): boolean =>
  told === undefined || told === url || URL.parse(told)?.href === url;

/** The end of a long name tells more than its beginning: that is where whose it is stands. */
const nameOf = (host: string): string => (host.length <= NAME_CHARS_MAX ? host : `…${host.slice(1 - NAME_CHARS_MAX)}`);

const noteOf = (action: string, { host }: Callback) => ({
  action,
  organizationId: null,
  targetType: "app",
  targetId: host,
});

const refused = (): GatewayError =>
  new GatewayError("permission", "The code or the code_verifier is wrong, or the code was used or is over. Ask again.");

const noLonger = (): GatewayError =>
  new GatewayError("permission", "Whoever allowed this may no longer make keys in the team. Ask again.");

const invalid = (param: string, reason: string): GatewayError =>
  new GatewayError("invalid_request", `${param}: ${reason}`, { param });
