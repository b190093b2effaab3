import type { Actor } from "../accounts/change.ts";
import type { FallbackKind } from "../accounts/operator-rule.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { Config, GroupAlias } from "../config/config.ts";
import type { FallbackTable } from "../config/router-config.ts";
import { GatewayError } from "../contract/errors.ts";
import { type AliasView, FALLBACK_KINDS, type FallbackView, type MarkupView } from "../contract/routing-rules.ts";
import { MARKUP_NAME } from "./apply-rules.ts";
import type { OperatorRules } from "./operator-rules.ts";

export interface RoutingRuleDeps {
  readonly rules: OperatorRules;
  readonly catalog: () => Catalog;
  /** What the file says. */
  readonly configured: () => Config;
  /** The same with what is set at run time. */
  readonly present: () => Config;
}

/** Stands for every group that has no list of its own. */
const ANY = "*";

/** Aliases, fallbacks and the mark-up that operators set at run time: each takes the place of what the file says of the same name. */
export class RoutingRules {
  constructor(private readonly deps: RoutingRuleDeps) {}

  aliases(): readonly AliasView[] {
    const [present, configured] = [this.deps.present().groupAliases, this.deps.configured().groupAliases];
    return Object.entries(present).map(([alias, { model, hidden }]) => ({
      alias,
      model,
      hidden,
      source: this.sourceOf("alias", alias),
      configured: own(configured, alias),
    }));
  }

  async setAlias(actor: Actor, alias: string, value: GroupAlias): Promise<AliasView> {
    const catalog = this.deps.catalog();
    if (/\p{C}|^\s|\s$/u.test(alias)) throw invalid("alias", "has signs that nobody sees, or blanks at its ends.");
    if (alias.includes(ANY)) throw invalid("alias", "a star stands for patterns, which only groups have.");
    if (catalog.groupNames().includes(alias)) throw invalid("alias", "a group has this name, and would be called.");
    if (catalog.findById(alias)) throw invalid("alias", "a deployment has this id, and would be called.");
    if (own(this.deps.present().groupAliases, value.model)) {
      throw invalid("model", "this is an alias itself; name the group that it stands for.");
    }
    this.requireCallable("model", value.model);
    await this.deps.rules.put(actor, { kind: "alias", name: alias, action: "alias.set", details: { ...value } }, value);
    return { alias, ...value, source: "database", configured: own(this.deps.configured().groupAliases, alias) };
  }

  /** Back to what the file says, if it says anything. */
  async removeAlias(actor: Actor, alias: string): Promise<void> {
    if (!this.deps.rules.find("alias", alias)) this.refuseConfigured(own(this.deps.configured().groupAliases, alias));
    await this.deps.rules.remove(actor, { kind: "alias", name: alias, action: "alias.remove" });
  }

  fallbacks(): readonly FallbackView[] {
    return FALLBACK_KINDS.flatMap((kind) => {
      const [present, configured] = [tableOf(this.deps.present(), kind), tableOf(this.deps.configured(), kind)];
      return Object.entries(present).map(([group, targets]) => ({
        kind,
        group,
        targets: [...targets],
        source: this.sourceOf(`${kind}_fallbacks`, group),
        configured: copied(own(configured, group)),
      }));
    });
  }

  async setFallback(
    actor: Actor,
    kind: FallbackKind,
    group: string,
    targets: readonly string[],
  ): Promise<FallbackView> {
    if (group !== ANY && !this.deps.catalog().groupNames().includes(group)) this.requireCallable("group", group);
    for (const target of targets) {
      if (this.groupOf(target) === this.groupOf(group)) {
        throw invalid("targets", "a group cannot stand in for itself.");
      }
      this.requireCallable("targets", target);
    }
    const note = { kind: `${kind}_fallbacks` as const, name: group, action: "fallbacks.set", details: { targets } };
    await this.deps.rules.put(actor, note, { targets });
    const configured = copied(own(tableOf(this.deps.configured(), kind), group));
    return { kind, group, targets: [...targets], source: "database", configured };
  }

  async removeFallback(actor: Actor, kind: FallbackKind, group: string): Promise<void> {
    const rule = `${kind}_fallbacks` as const;
    if (!this.deps.rules.find(rule, group)) this.refuseConfigured(own(tableOf(this.deps.configured(), kind), group));
    await this.deps.rules.remove(actor, { kind: rule, name: group, action: "fallbacks.remove" });
  }

  markup(): MarkupView {
    return {
      percent: this.deps.present().billing.markupPercent,
      source: this.sourceOf("markup", MARKUP_NAME),
      configured: this.deps.configured().billing.markupPercent,
    };
  }

  async setMarkup(actor: Actor, percent: number): Promise<MarkupView> {
    if (Math.round(percent * 100) / 100 !== percent)
      throw invalid("percent", "has at most two digits behind the point.");
    const details = { percent, before: this.markup().percent };
    await this.deps.rules.put(actor, { kind: "markup", name: MARKUP_NAME, action: "markup.set", details }, { percent });
    return { percent, source: "database", configured: this.deps.configured().billing.markupPercent };
  }

  async removeMarkup(actor: Actor): Promise<MarkupView> {
    await this.deps.rules.remove(actor, { kind: "markup", name: MARKUP_NAME, action: "markup.remove" });
    const { markupPercent } = this.deps.configured().billing;
    return { percent: markupPercent, source: "configuration", configured: markupPercent };
  }

  private sourceOf(kind: Parameters<OperatorRules["find"]>[0], name: string): "configuration" | "database" {
    return this.deps.rules.find(kind, name) ? "database" : "configuration";
  }

  private groupOf(name: string): string {
    return own(this.deps.present().groupAliases, name)?.model ?? name;
  }

  private requireCallable(param: string, name: string): void {
    if (this.deps.catalog().resolve(name).length === 0) throw invalid(param, `no model is called \`${name}\`.`);
  }

  private refuseConfigured(found: unknown): void {
    if (found === null) return;
    throw new GatewayError("conflict", "The configuration file says so: set something else here, or change the file.");
  }
}

function tableOf({ router }: Config, kind: FallbackKind): FallbackTable {
  if (kind === "context_window") return router.contextWindowFallbacks;
  if (kind === "content_policy") return router.contentPolicyFallbacks;
  return router.defaultFallbacks.length > 0
    ? { [ANY]: router.defaultFallbacks, ...router.fallbacks }
    : router.fallbacks;
}

const own = <T>(table: Readonly<Record<string, T>>, name: string): T | null =>
  Object.hasOwn(table, name) ? (table[name] ?? null) : null;

const copied = (list: readonly string[] | null): string[] | null => list && [...list];

const invalid = (param: string, reason: string): GatewayError =>
  new GatewayError("invalid_request", `${param}: ${reason}`, { param });
