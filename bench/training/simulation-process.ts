// The simulation in a process of its own, so that its memory is what it took: `bun simulation-process.ts '{"registered": ...}'`.

import { memoryOf } from "../../sdk/conformance/echo.ts";
import { simulate } from "./simulation.ts";

const options = JSON.parse(process.argv[2] ?? "{}");
const startedAt = performance.now();
const { accuracy, asked } = simulate(options);
const seconds = (performance.now() - startedAt) / 1000;
console.log(JSON.stringify({ accuracy, asked, seconds, peakBytes: memoryOf(process.pid, "VmHWM") }));
