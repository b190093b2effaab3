import type { Actor } from "../accounts/change.ts";
import type { OperatorRule } from "../accounts/operator-rule.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { readGuardrailParams } from "../config/guardrail-params.ts";
import { GatewayError } from "../contract/errors.ts";
import { type GuardrailDefinition, type GuardrailParams, RUN_TIME_KINDS, toGuardrail } from "../contract/guardrails.ts";
import type { GuardrailValue } from "./apply-rules.ts";
import type { OperatorRules } from "./operator-rules.ts";

/** A guardrail as operators see it, wherever it is kept. */
export interface SeenGuardrail {
  readonly definition: GuardrailDefinition;
  readonly source: "configuration" | "database";
  /** Null for those of the file, whose patterns and words are read there. */
  readonly params: GuardrailParams | null;
  /** Why it does not look at anything. */
  readonly faults: readonly string[];
  readonly createdAt: number | null;
  readonly updatedAt: number | null;
}

export interface StoredGuardrailDeps {
  readonly rules: OperatorRules;
  /** Those of the file. */
  readonly configured: () => readonly GuardrailDefinition[];
  /** The models that one of them may ask. */
  readonly catalog: () => Catalog;
}

/** `/api/admin/guardrails/test` is something else. */
const TAKEN = "test";

/** Guardrails that operators keep in the database. They look after the file's, the oldest first. */
export class StoredGuardrails {
  constructor(private readonly deps: StoredGuardrailDeps) {}

  list(): readonly SeenGuardrail[] {
    const configured = this.deps.configured();
    const taken = new Set(configured.map(({ name }) => name));
    return [
      ...configured.map(seenConfigured),
      ...this.deps.rules.list("guardrail").map((rule) => seenRule(rule, taken.has(rule.name))),
    ];
  }

  /** The file's where both have the name: it is the one that looks. */
  get(name: string): SeenGuardrail {
    const found = this.list().find(({ definition }) => definition.name === name);
    if (!found) throw new GatewayError("not_found", "There is no such guardrail.");
    return found;
  }

  async create(actor: Actor, name: string, value: GuardrailValue): Promise<SeenGuardrail> {
    if (name === TAKEN) throw new GatewayError("conflict", "`test` is taken; choose another name.", { param: "name" });
    this.check(value);
    if (this.isConfigured(name))
      throw new GatewayError("conflict", "The file has one of this name.", { param: "name" });
    return seenRule(await this.deps.rules.put(actor, noteOf("guardrail.create", name, value), value, true), false);
  }

  async update(actor: Actor, name: string, value: GuardrailValue): Promise<SeenGuardrail> {
    this.check(value);
    this.requireStored(name);
    const rule = await this.deps.rules.put(actor, noteOf("guardrail.update", name, value), value, false);
    return seenRule(rule, this.isConfigured(name));
  }

  async remove(actor: Actor, name: string): Promise<void> {
    this.requireStored(name);
    await this.deps.rules.remove(actor, { kind: "guardrail", name, action: "guardrail.remove" });
  }

  private check({ params }: GuardrailValue): void {
    if (!RUN_TIME_KINDS.includes(params.guardrail)) {
      throw invalid(`guardrail: ${params.guardrail} is set in the configuration file alone, since it reaches others.`);
    }
    const [fault] = readGuardrailParams(params).faults;
    if (fault) throw invalid(`${fault.param}: ${fault.message}`);
    // It would look at once, and refuse every call that it cannot ask about.
    if (params.guardrail === "moderation" && this.deps.catalog().resolve(params.model ?? "").length === 0)
      throw invalid(`model: no model is called \`${params.model}\`.`);
  }

  private requireStored(name: string): void {
    if (this.deps.rules.find("guardrail", name)) return;
    if (!this.isConfigured(name)) throw new GatewayError("not_found", "There is no such guardrail.");
    throw new GatewayError("conflict", "This guardrail cannot be changed here: it is in the configuration file.");
  }

  private isConfigured(name: string): boolean {
    return this.deps.configured().some((one) => one.name === name);
  }
}

const invalid = (message: string): GatewayError =>
  new GatewayError("invalid_request", `definition: ${message}`, { param: "definition" });

const noteOf = (action: string, name: string, { params }: GuardrailValue) => ({
  kind: "guardrail" as const,
  name,
  action,
  details: { guardrail: params.guardrail, defaultOn: params.default_on ?? false, action: params.action ?? null },
});

const seenConfigured = (definition: GuardrailDefinition): SeenGuardrail => ({
  definition,
  source: "configuration",
  params: null,
  faults: [],
  createdAt: null,
  updatedAt: null,
});

function seenRule({ name, value, createdAt, updatedAt }: OperatorRule, isTaken: boolean): SeenGuardrail {
  const { params, info } = value as unknown as GuardrailValue;
  return {
    definition: toGuardrail(name, params, info),
    source: "database",
    params,
    faults: isTaken ? ["The configuration file has one of the same name, which looks in its place."] : [],
    createdAt,
    updatedAt,
  };
}
