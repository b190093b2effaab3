import { resolve } from "node:path";

/** The folder of the program, wherever its modules lie: an image (`scripts/ensure-image.mjs`) has this written into it. */
export const PROGRAM_ROOT: string = process.env.TURNPIKE_ROOT ?? resolve(import.meta.dir, "../..");
