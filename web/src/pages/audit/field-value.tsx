import { Text } from "@mantine/core";
import { Money } from "../../components/money.tsx";
import { Time } from "../../components/time.tsx";
import type { Names } from "./use-names.ts";
import { plainName } from "./words.ts";

const AMOUNTS = new Set(["budget", "softBudget", "amount", "balance", "balanceThreshold", "threshold"]);
const TIMES = new Set(["expiresAt", "rotationAt", "previousUntil", "joinedAt", "createdAt"]);

/** `softBudget` becomes "Soft budget". */
export function fieldName(name: string): string {
  const words = plainName(name.replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")).toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A value of the log as people read it: amounts, times and people by what they are. */
export function FieldValue({ name, value, names }: { name: string; value: unknown; names: Names }) {
  if (value === null || value === undefined || value === "" || (Array.isArray(value) && value.length === 0)) {
    return (
      <Text span inherit c="dimmed">
        none
      </Text>
    );
  }
  if (AMOUNTS.has(name) && /^-?\d+$/.test(String(value))) return <Money nano={String(value)} />;
  if (TIMES.has(name) && typeof value === "number") return <Time at={new Date(value).toISOString()} />;
  if (name === "userId" && typeof value === "number") return names.person(value);
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value) && value.every((one) => typeof one === "string")) return value.join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
