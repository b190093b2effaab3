// `npm run bench:training -- [--models 10] [--numbers 10500000]`: aggregation beside numpy, in the same run on the same machine.

import { parseArgs } from "node:util";
import { describeMachine } from "./machine.ts";
import { measureKernels } from "./training/kernels.ts";

const { values } = parseArgs({
  options: { models: { type: "string", default: "10" }, numbers: { type: "string", default: "10500000" } },
});
console.log(describeMachine());
console.log(await measureKernels(Number(values.models), Number(values.numbers)));
