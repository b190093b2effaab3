import { type Actor, change } from "../accounts/change.ts";
import type { OperatorRule, OperatorRuleKind } from "../accounts/operator-rule.ts";
import type { AccountStores } from "../accounts/store.ts";
import { GatewayError } from "../contract/errors.ts";
import type { Clock } from "../lib/clock.ts";
import { type ModelStock, noteModelChange } from "./stock.ts";

export interface OperatorRuleDeps {
  readonly stores: AccountStores;
  readonly clock: Clock;
  readonly stock: Pick<ModelStock, "refresh">;
  /** Those that are loaded. */
  readonly rules: () => readonly OperatorRule[];
  /** Whether anything is kept in the database beside the file. */
  readonly isStoring: () => boolean;
}

interface RuleChange {
  readonly kind: OperatorRuleKind;
  readonly name: string;
  /** What the audit log calls it. */
  readonly action: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

const RULES_MAX = 2_000;

const KEPT_IN_FILE = "This is kept in the configuration file alone: `general_settings.store_model_in_db` is false.";

/** What operators set at run time of what else the file says. It holds in every process within seconds, here at once. */
export class OperatorRules {
  constructor(private readonly deps: OperatorRuleDeps) {}

  list(kind: OperatorRuleKind): readonly OperatorRule[] {
    return this.deps.rules().filter((rule) => rule.kind === kind);
  }

  find(kind: OperatorRuleKind, name: string): OperatorRule | null {
    return this.list(kind).find((rule) => rule.name === name) ?? null;
  }

  /**
   * `isNew`: one that is there already is a `conflict`; false: one that is not is `not_found`; undefined: either. Gives what
   * is kept now: the database may be gone again before that is loaded.
   */
  async put(
    actor: Actor,
    { kind, name, action, details }: RuleChange,
    value: object,
    isNew?: boolean,
  ): Promise<OperatorRule> {
    const { clock } = this.deps;
    return this.change(actor, { kind, name, action, ...(details ? { details } : {}) }, async (tx) => {
      const present = await tx.operatorRules.find(kind, name);
      if (present && isNew === true)
        throw new GatewayError("conflict", "There is one of this name.", { param: "name" });
      if (!present && isNew === false) throw unknown();
      if (!present && (await tx.operatorRules.list()).length >= RULES_MAX) {
        throw new GatewayError("conflict", `At most ${RULES_MAX} such settings are kept here.`);
      }
      const createdBy = actor.caller?.kind === "session" ? actor.caller.userId : null;
      const now = clock.nowMs();
      const rule = { kind, name, value: { ...value }, createdBy, createdAt: now, updatedAt: now };
      await tx.operatorRules.put(rule);
      return present ? { ...rule, createdBy: present.createdBy, createdAt: present.createdAt } : rule;
    });
  }

  async remove(actor: Actor, ruleChange: RuleChange): Promise<void> {
    const { kind, name } = ruleChange;
    await this.change(actor, ruleChange, async (tx) => {
      if (!(await tx.operatorRules.find(kind, name))) throw unknown();
      await tx.operatorRules.remove(kind, name);
    });
  }

  private async change<T>(
    actor: Actor,
    { kind, name, action, details = {} }: RuleChange,
    work: (tx: AccountStores) => Promise<T>,
  ): Promise<T> {
    const { stores, clock, stock, isStoring } = this.deps;
    if (!isStoring()) throw new GatewayError("invalid_request", KEPT_IN_FILE);
    const changed = await change(
      stores,
      clock,
      actor,
      async (tx) => {
        await noteModelChange(tx);
        return work(tx);
      },
      () => ({ action, organizationId: null, targetType: kind, targetId: name, details: { ...details } }),
    );
    await stock.refresh();
    return changed;
  }
}

const unknown = (): GatewayError => new GatewayError("not_found", "Nothing of this name is set here.");
