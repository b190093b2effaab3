import type { SessionCaller } from "../contract/caller.ts";
import type { GatewayError } from "../contract/errors.ts";

/** Who does something, and from where. */
export interface Person {
  readonly caller: SessionCaller;
  readonly address: string | null;
}

/** Who somebody is by now; throws when the session has ended, by its own hand or another's. */
export type Present = (caller: SessionCaller) => Promise<SessionCaller>;

/**
 * The organization that a call works in, if the caller has the role in it; else throws, with `missing` where the caller may
 * not even know that it exists. Everybody in it reads; administrators, and operators of the installation, change things.
 */
export type TrainingAccess = (
  caller: SessionCaller,
  named: string | null,
  wanted: "admin" | "viewer",
  missing?: () => GatewayError,
) => Promise<{ readonly id: string }>;
