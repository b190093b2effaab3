import type { Section } from "./section.ts";

/** Whoever counts on a setting that has no effect, because another one means the same and holds, is told. */
export function tellOverruled(section: Section, key: string, holds: string, protects = false): void {
  const overruled = section.field(key);
  if (overruled === null) return;
  const message = `has no effect: \`${holds}\` is set too and holds instead of it`;
  section.scope.report.warnOnce(overruled.path, overruled.node.at, overruled.path, message, protects);
}
