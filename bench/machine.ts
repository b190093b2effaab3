import { cpus, loadavg, release, totalmem } from "node:os";

/** Describes the machine of a run. */
export const describeMachine = () => ({
  processors: `${cpus().length} x ${cpus()[0]?.model.trim() || "unknown"}`,
  memoryGb: Math.round(totalmem() / 1e9),
  system: `Linux ${release().split(".").slice(0, 2).join(".")} ${process.arch}`,
  runtime: `Bun ${Bun.version}`,
  loadBefore: loadavg().map((number) => Number(number.toFixed(2))),
  at: new Date().toISOString(),
});
