/** What a person types to call this program: `turnpike`, unless `scripts/command-name.mjs` has found another way to. */
const PROGRAM = process.env.TURNPIKE_COMMAND ?? "turnpike";

/** The same with the server and the profile that they have named: what they are told to type next is for the same account. */
export const COMMAND: string = [PROGRAM, ...namedPlace(process.argv.slice(2))].join(" ");

function namedPlace(args: readonly string[]): string[] {
  const flags = args.includes("--") ? args.slice(0, args.indexOf("--")) : args;
  const [url, profile] = [flagIn(flags, "--url"), flagIn(flags, "--profile")];
  return [
    // With others, such as names and passwords in it, nothing could be called, or not without quotes.
    ...(/^[\w.:/-]+$/.test(url) ? ["--url", url] : []),
    // Others are no names of profiles, and refused.
    ...(/^[\w.-]+$/.test(profile) ? ["--profile", profile] : []),
  ];
}

/** The last one counts. */
function flagIn(flags: readonly string[], name: string): string {
  const at = flags.findLastIndex((flag) => flag === name || flag.startsWith(`${name}=`));
  return flags[at] === name ? (flags[at + 1] ?? "") : (flags[at]?.slice(name.length + 1) ?? "");
}

/** The same where everybody may read it: no path of this machine, but npm's script, which works in the program's folder. */
export const publicCommand = (command: string): string =>
  command.startsWith("node ") ? "npm run -s turnpike --" : command;

/** The hidden command that reads one document in its own process. */
export const READER_COMMAND = "document-reader";
