import type { Fault } from "../config/fault.ts";
import type { FallbackValue } from "../models/apply-rules.ts";
import { readStock } from "../models/read-stock.ts";
import type { LiveConfig } from "./live-config.ts";

/**
 * What operators keep in the database and the present file leaves without effect: models whose credential it has no longer, aliases
 * and fallbacks of groups that are gone. Nothing else would tell whoever has changed the file.
 */
export function storedModelProblems(live: Pick<LiveConfig, "present" | "catalog">): Fault[] {
  const { stock, surroundings } = live.present();
  if (!surroundings.storeModels) return [];
  const isMissing = (name: string): boolean => live.catalog.resolve(name).length === 0;
  const models = readStock(stock, surroundings)
    .filter(({ open, faults }) => open.record.status === "enabled" && faults.length > 0)
    .map(
      ({ open: { record }, faults }) =>
        `the stored model \`${record.groupName}\` cannot be called: ${faults.join("; ")}`,
    );
  const rules = stock.rules.flatMap(({ kind, name, value }) => {
    if (kind === "alias") {
      const { model } = value as { readonly model: string };
      return isMissing(model) ? [`the stored alias \`${name}\` leads to \`${model}\`, which is not there`] : [];
    }
    if (!kind.endsWith("_fallbacks")) return [];
    const gone = (value as unknown as FallbackValue).targets.filter(isMissing).map((target) => `\`${target}\``);
    return gone.length > 0 ? [`the stored fallbacks of \`${name}\` name ${gone.join(", ")}, which is not there`] : [];
  });
  return [...models, ...rules].map((message) => ({ file: "database", line: null, column: null, path: "", message }));
}
