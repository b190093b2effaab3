// `npm run bench:training -- [--models 10] [--numbers 10500000] [--mib 256] [--registered 1000000] [--python python3]`
// Aggregation beside numpy, the wire through real participants of both SDKs, and a simulation of many: in one run on one machine.

import { join } from "node:path";
import { parseArgs } from "node:util";
import { findNumpy } from "../examples/digits/find-numpy.ts";
import { echo, memoryOf } from "../sdk/conformance/echo.ts";
import { findRuntimes, type Runtime, startModel } from "../sdk/conformance/participants.ts";
import { describeMachine } from "./machine.ts";
import { measureKernels, type Taken } from "./training/kernels.ts";
import { measureNumpy } from "./training/numpy.ts";

const HELP = `npm run bench:training -- [options]

  --models N        models that are put together (10)
  --numbers N       floats of each (10500000)
  --mib N           MiB of parameters to each participant and back (256); of small ones the memory is mostly the runtime's
  --registered N    participants of the simulation (1000000)
  --python PROGRAM  whose numpy stands beside it (python3)

It takes about a minute and a half, and ends with 1 where a goal was not met.`;

const { values } = parseArgs({
  options: {
    models: { type: "string", default: "10" },
    numbers: { type: "string", default: "10500000" },
    mib: { type: "string", default: "256" },
    registered: { type: "string", default: "1000000" },
    python: { type: "string", default: "python3" },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
const [count, numbers, mib] = [Number(values.models), Number(values.numbers), Number(values.mib)];
const MIB = 1024 * 1024;
let missed = 0;

const row = (name: string, figures: string, goal = "", met: boolean | null = null) => {
  if (met === false) missed++;
  const verdict = met === null ? "" : met ? "met" : "NOT MET";
  console.log(`  ${name.padEnd(44)} ${figures.padEnd(34)} ${goal.padEnd(38)} ${verdict}`.trimEnd());
};
const ms = ({ best, median }: Taken) => `${best.toFixed(0).padStart(6)} ms, median ${median.toFixed(0)}`;

const machine = describeMachine();
console.log(`${machine.processors}, ${machine.runtime}, load before ${machine.loadBefore.join(" ")}`);

console.log(`\nAggregation: ${count} models of ${numbers} floats, best of 7; numpy on one thread`);
const ours = await measureKernels(count, numbers);
const python = await findNumpy(values.python);
const numpy = python === null ? null : await measureNumpy(python, count, numbers);
const versus = (own: Taken, other: Taken | undefined, times: number, name: string): [string, boolean | null] => {
  if (other === undefined) return ["", null];
  const found = other.best / own.best;
  return [`${times}x ${name}: ${found.toFixed(1)}x`, found >= times];
};
row("weighted mean, float64 sums, one thread", ms(ours.mean), ...versus(ours.mean, numpy?.mean, 1, "numpy float32"));
row("weighted mean, all cores, warm threads", ms(ours.meanInThreads));
row("median, one thread", ms(ours.median), ...versus(ours.median, numpy?.median, 20, "np.median"));
row("trimmed mean f=2, one thread", ms(ours.trimmed), ...versus(ours.trimmed, numpy?.partition, 20, "np.partition"));
row("", "", ...versus(ours.trimmed, numpy?.sort, 10, "np.sort"));
row("trimmed mean f=2, all cores, warm threads", ms(ours.trimmedInThreads));
if (numpy === null) row("numpy", "skipped: it is neither installed nor can it be fetched");
else {
  row(`numpy ${numpy.version}, float32 expression`, ms(numpy.mean));
  row("numpy, median", ms(numpy.median));
  row("numpy, partition and mean of the middle", ms(numpy.partition));
  row("numpy, sort and mean of the middle", ms(numpy.sort));
}

console.log(`\nThe wire: ${mib} MiB of parameters to a participant and back; its memory over theirs`);
const { runtimes, remove } = await findRuntimes();
for (const runtime of runtimes) {
  for (const [form, most] of [
    ["json", 3],
    ["binary", 2.2],
  ] as const) {
    const { speed, peak } = await measureWire(runtime, form);
    const figures = `${speed.toFixed(0).padStart(6)} MiB/s, ${peak.toFixed(2)} times`;
    row(`${runtime.name}, ${form}`, figures, `at most ${most} times`, peak <= most);
  }
}
remove();

console.log(
  `\nSimulation: ${values.registered} registered, 100 asked in each of 100 rounds, logistic regression on digits`,
);
const simulation = { registered: Number(values.registered), sample: 100, rounds: 100, seed: 1 };
const child = Bun.spawn(
  [process.execPath, join(import.meta.dir, "training/simulation-process.ts"), JSON.stringify(simulation)],
  { stdout: "pipe" },
);
const { accuracy, asked, seconds, peakBytes } = JSON.parse(await new Response(child.stdout).text());
row("rounds", `${(100 / seconds).toFixed(0).padStart(6)} a second, ${asked} asked in all`);
row("accuracy after 100 rounds", `${(accuracy * 100).toFixed(1).padStart(6)} %`);
row(
  "memory of the process at most",
  `${(peakBytes / 1e6).toFixed(0).padStart(6)} MB`,
  "under 300 MB",
  peakBytes < 300e6,
);
process.exitCode = missed === 0 ? 0 : 1;

/** The second echo counts: the first one makes the process ready. */
async function measureWire(runtime: Runtime, form: "json" | "binary"): Promise<{ speed: number; peak: number }> {
  const model = await startModel(runtime, { datasets: { default: { do: "echo" } } });
  try {
    await echo(model.url, form, 768 * 1024);
    const before = memoryOf(model.pid, "VmRSS");
    const startedAt = performance.now();
    await echo(model.url, form, mib * MIB);
    const speed = mib / ((performance.now() - startedAt) / 1000);
    return { speed, peak: (memoryOf(model.pid, "VmHWM") - before) / (mib * MIB) };
  } finally {
    await model.stop();
  }
}
