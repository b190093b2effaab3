/** What a person types to call this program: `turnpike`, unless `scripts/command-name.mjs` has found another way to. */
export const COMMAND: string = process.env.TURNPIKE_COMMAND ?? "turnpike";
