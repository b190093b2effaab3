import type { AdminCaller, SessionCaller } from "../contract/caller.ts";
import type { Clock } from "../lib/clock.ts";
import { newId } from "../lib/ids.ts";
import type { Authority } from "./authority.ts";
import type { AuditEntry } from "./records.ts";
import type { AccountStores } from "./store.ts";

/** Who changes something, and from where. */
export interface Actor {
  readonly caller: AdminCaller | Authority | null;
  readonly address: string | null;
}

/** Somebody whose rights are asked for. */
export interface ActorWithRights extends Actor {
  readonly caller: Authority;
}

export interface ChangeNote {
  readonly action: string;
  readonly organizationId: string | null;
  readonly targetType: string;
  readonly targetId: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/**
 * One change with its line in the audit log, both or neither. `note` is made of what the change gives, because ids may only
 * be known afterwards.
 */
export function change<T>(
  stores: AccountStores,
  clock: Clock,
  actor: Actor,
  work: (tx: AccountStores) => Promise<T>,
  note: (result: T) => ChangeNote | null,
): Promise<T> {
  return stores.transaction(async (tx) => {
    const result = await work(tx);
    const noted = note(result);
    if (noted) await tx.audit.insert(toEntry(noted, actor, clock.nowMs()));
    return result;
  });
}

/** The line alone, of what is done already and lies outside the database. */
export const noteChange = (
  stores: AccountStores,
  clock: Pick<Clock, "nowMs">,
  actor: Actor,
  note: ChangeNote,
): Promise<void> => stores.audit.insert(toEntry(note, actor, clock.nowMs()));

function toEntry(note: ChangeNote, { caller: given, address }: Actor, at: number): AuditEntry {
  const caller = given?.kind === "operator" ? given.caller : given;
  return {
    id: newId(),
    at,
    actor: caller === null ? "system" : caller.kind === "session" ? "user" : "master_key",
    userId: caller?.kind === "session" ? (caller.actingAdmin?.userId ?? caller.userId) : null,
    action: note.action,
    organizationId: note.organizationId,
    targetType: note.targetType,
    targetId: note.targetId,
    details: { ...note.details, ...(caller?.kind === "session" ? means(caller) : {}) },
    // Organizations read their rows: from where an administrator looks stands in the operators' row of the beginning alone.
    address: caller?.kind === "session" && caller.actingAdmin && note.organizationId !== null ? null : address,
  };
}

/** Who reads the log wants to know which program it was, or as whom an administrator did it. */
const means = ({ token, actingAdmin, userId }: SessionCaller): Readonly<Record<string, unknown>> => ({
  ...(token ? { tokenId: token.id } : {}),
  ...(actingAdmin ? { onBehalfOf: userId } : {}),
});
