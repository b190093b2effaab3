import { GatewayError } from "../contract/errors.ts";
import type { GuardrailDefinition } from "../contract/guardrails.ts";
import { buildGuard } from "./build-guard.ts";
import { CallGuards, type GuardedCall } from "./call-guards.ts";
import type { Guard, JudgeServices } from "./guard.ts";
import { GuardrailSchedule } from "./guardrail-schedule.ts";

/** Guardrails that a request asks for by name, with what it has to say to each of them. */
export type AskedGuardrails = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

const NONE: AskedGuardrails = new Map();

/** All guardrails that are configured, in the order of the configuration. */
export class GuardrailSet {
  private readonly guards: readonly Guard[];
  private readonly byName: ReadonlyMap<string, Guard>;
  /** Those that are always on; null where there are none. */
  private readonly always: GuardrailSchedule | null;

  constructor(
    readonly definitions: readonly GuardrailDefinition[],
    services: JudgeServices,
  ) {
    this.guards = definitions.map((definition) => buildGuard(definition, services));
    this.byName = new Map(this.guards.map((guard) => [guard.name, guard]));
    this.always = lineupOf(this.guards.filter(({ defaultOn }) => defaultOn));
  }

  has(name: string): boolean {
    return this.byName.has(name);
  }

  find(name: string): Guard | null {
    return this.byName.get(name) ?? null;
  }

  /**
   * Those that look at a call: which are always on, which its key or team has, and which it asks for itself; it can
   * switch none off. Null where there are none.
   */
  of(call: GuardedCall, own: readonly string[], asked: AskedGuardrails | null): CallGuards | null {
    if (own.length === 0 && asked === null) return this.always && new CallGuards(this.always, call, NONE);
    for (const name of asked?.keys() ?? []) if (!this.has(name)) throw unknownName(name);
    for (const name of own) if (!this.has(name)) throw lostName(name);
    const named = new Set([...own, ...(asked?.keys() ?? [])]);
    const chosen = lineupOf(this.guards.filter(({ name, defaultOn }) => defaultOn || named.has(name)));
    return chosen && new CallGuards(chosen, call, asked ?? NONE);
  }
}

const lineupOf = (guards: readonly Guard[]): GuardrailSchedule | null =>
  guards.length === 0 ? null : new GuardrailSchedule(guards);

const unknownName = (name: string): GatewayError =>
  new GatewayError("invalid_request", `There is no guardrail \`${name.slice(0, 100)}\`.`, { param: "guardrails" });

/** Somebody relies on it: without it the call is not made. */
const lostName = (name: string): GatewayError =>
  new GatewayError("permission", `This key may be used only with the guardrail \`${name}\`, which is not configured.`);
