/** What a person types to call this program: `turnpike`, unless `scripts/command-name.mjs` has found another way to. */
export const COMMAND: string = process.env.TURNPIKE_COMMAND ?? "turnpike";

/** The same where everybody may read it: no path of this machine, but npm's script, which works in the program's folder. */
export const publicCommand = (command: string): string =>
  command.startsWith("node ") ? "npm run -s turnpike --" : command;
