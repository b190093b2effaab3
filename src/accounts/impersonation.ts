import type { SessionCaller } from "../contract/caller.ts";
import { GatewayError } from "../contract/errors.ts";
import type { Clock } from "../lib/clock.ts";
import { newId } from "../lib/ids.ts";
import { type Actor, type ChangeNote, change, noteChange } from "./change.ts";
import { lockUser } from "./end-sign-ins.ts";
import type { Session, User } from "./records.ts";
import type { Sessions } from "./sessions.ts";
import type { AccountStores } from "./store.ts";

/** From its beginning, whatever is done in it: it is not renewed. */
const LIFETIME_MS = 30 * 60_000;

export interface ImpersonationDeps {
  readonly stores: AccountStores;
  readonly sessions: Sessions;
  readonly clock: Clock;
}

export interface BeginImpersonation {
  readonly admin: SessionCaller;
  readonly userId: number;
  readonly reason: string;
  readonly address: string | null;
}

export interface Begun {
  readonly session: Session;
  readonly user: User;
}

/** An administrator sees the platform as one of its users. What they may do meanwhile is decided in `http/authenticate.ts`: look. */
export class Impersonation {
  constructor(private readonly deps: ImpersonationDeps) {}

  async begin({ admin, userId, reason: given, address }: BeginImpersonation): Promise<Begun> {
    const { stores, clock } = this.deps;
    const reason = given.trim();
    if (reason === "") throw new GatewayError("invalid_request", "reason: say why you need it.", { param: "reason" });
    const actor: Actor = { caller: admin, address };
    return change(
      stores,
      clock,
      actor,
      async (tx) => {
        const now = clock.nowMs();
        // Holds back a change of their status, whose end of all sessions must find this one too.
        await lockUser(tx, userId, now);
        const user = requireSeeable(await tx.users.find(userId));
        const session = newSession(admin, user, now);
        // Holds back another one from the same session: each would end those that it sees, and both would last.
        await tx.sessions.update(admin.sessionId, { lastSeenAt: now });
        await tx.sessions.revokeBegunFrom([admin.sessionId], now);
        await tx.sessions.insert(session);
        // Who runs an organization learns that its data was seen, but not what the operator wrote about it, nor from where.
        for (const { organization } of await tx.organizations.listOf(userId)) {
          await noteChange(
            tx,
            clock,
            { caller: admin, address: null },
            noteOf("user.impersonate", session, organization.id),
          );
        }
        return { session, user };
      },
      ({ session }) => {
        const note = noteOf("user.impersonate", session);
        return { ...note, details: { ...note.details, reason } };
      },
    );
  }

  /** Where it is over already, nothing is left to do. `approve` may refuse to end one that is not. */
  async end(
    token: string,
    seenAsId: string,
    address: string | null,
    approve: (sessionId: string) => void,
  ): Promise<void> {
    const { stores, clock } = this.deps;
    const caller = await this.find(token, seenAsId);
    if (!caller?.actingAdmin) return;
    approve(caller.sessionId);
    await change(
      stores,
      clock,
      { caller, address },
      (tx) => tx.sessions.revoke(caller.userId, { id: caller.sessionId }, clock.nowMs()),
      (ended) =>
        ended === 0
          ? null
          : {
              action: "user.impersonate_end",
              organizationId: null,
              targetType: "user",
              targetId: String(caller.userId),
              details: { sessionId: caller.sessionId },
            },
    );
  }

  private find(token: string, seenAsId: string): Promise<SessionCaller | null> {
    return this.deps.sessions.verify(token, seenAsId).catch((thrown) => {
      if (thrown instanceof GatewayError && thrown.kind === "authentication") return null;
      throw thrown;
    });
  }
}

function requireSeeable(user: User | null): User {
  if (!user) throw new GatewayError("not_found", "There is no such user.");
  if (user.role === "admin") throw new GatewayError("permission", "Nobody sees the platform as an administrator.");
  if (user.status !== "active") throw new GatewayError("conflict", "The user is disabled or was removed.");
  return user;
}

/** The user sees it in their list, where the administrator's address and browser are none of their business. */
const newSession = (admin: SessionCaller, user: User, now: number): Session => ({
  id: newId(),
  userId: user.id,
  organizationId: null,
  userAgent: "",
  address: null,
  createdAt: now,
  lastSeenAt: now,
  expiresAt: now + LIFETIME_MS,
  revokedAt: null,
  adminSessionId: admin.sessionId,
});

const noteOf = (
  action: string,
  { id: sessionId, userId, expiresAt }: Session,
  organizationId: string | null = null,
): ChangeNote => ({
  action,
  organizationId,
  targetType: "user",
  targetId: String(userId),
  details: { onBehalfOf: userId, sessionId, expiresAt },
});
