export type FallbackKind = "general" | "context_window" | "content_policy";
export type OperatorRuleKind = "guardrail" | "alias" | "markup" | `${FallbackKind}_fallbacks`;

/** Something that an operator has set at run time, and that otherwise stands in the configuration file. */
export interface OperatorRule {
  readonly kind: OperatorRuleKind;
  readonly name: string;
  readonly value: Readonly<Record<string, unknown>>;
  readonly createdBy: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface OperatorRuleStore {
  find(kind: OperatorRuleKind, name: string): Promise<OperatorRule | null>;
  /** In place of the value that there is; who made it and when stays. */
  put(rule: OperatorRule): Promise<void>;
  remove(kind: OperatorRuleKind, name: string): Promise<void>;
  /** All of them, the oldest first. */
  list(): Promise<readonly OperatorRule[]>;
}
