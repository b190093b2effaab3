/** What a person types to call this program: `turnpike`, unless `scripts/command-name.mjs` has found another way to. */
const PROGRAM = process.env.TURNPIKE_COMMAND ?? "turnpike";

/** The same with the profile that they have named: what they are told to type next is for the same account. */
export const COMMAND: string = [PROGRAM, ...namedProfile(process.argv.slice(2))].join(" ");

function namedProfile(args: readonly string[]): string[] {
  const flags = args.includes("--") ? args.slice(0, args.indexOf("--")) : args;
  const at = flags.findLastIndex((flag) => /^--profile(=|$)/.test(flag));
  if (at < 0) return [];
  const [, name = flags[at + 1] ?? ""] = flags[at]?.match(/=(.*)/) ?? [];
  // Others are no names of profiles, and refused.
  return /^[\w.-]+$/.test(name) ? ["--profile", name] : [];
}

/** The same where everybody may read it: no path of this machine, but npm's script, which works in the program's folder. */
export const publicCommand = (command: string): string =>
  command.startsWith("node ") ? "npm run -s turnpike --" : command;
