import { type Command, Option } from "commander";
import { addAccount } from "./account.ts";
import { addAdmin } from "./admin.ts";
import { addBatches } from "./batches.ts";
import { addBilling } from "./billing.ts";
import { addChat } from "./chat.ts";
import { CliError, EXIT, usageError } from "./cli-error.ts";
import { addCompletion } from "./completion.ts";
import { addConfig } from "./config.ts";
import { type Act, actions } from "./context.ts";
import { addDoctor } from "./doctor.ts";
import { addEndUsers } from "./end-users.ts";
import { addImages } from "./images.ts";
import { addInvitations } from "./invitations.ts";
import { addKeys } from "./keys.ts";
import { addLogs } from "./logs.ts";
import { addModels } from "./models.ts";
import { addNotices } from "./notices.ts";
import { addOrgs } from "./orgs.ts";
import { FORMATS, Output } from "./output.ts";
import { addParticipant } from "./participant.ts";
import { addPassword } from "./password.ts";
import { addPurchases } from "./purchases.ts";
import { addTeams } from "./teams.ts";
import { addTokens } from "./tokens.ts";
import { addTrain } from "./train.ts";
import { addTwoFactor } from "./two-factor.ts";
import { addUsage } from "./usage.ts";

/** Puts the client's commands beside the server's. They speak to a server over HTTP and share nothing else with it. */
export function addClientCommands(program: Command, argv: readonly string[], done: (code: number) => void): void {
  const json = wantsJson(argv);
  program
    .option("--url <address>", "the server (TURNPIKE_URL, the profile's, http://127.0.0.1:4000)")
    .option("--profile <name>", "which settings and credentials to use (TURNPIKE_PROFILE, default)")
    .addOption(
      new Option(
        "-o, --output <format>",
        "how to print; lists come whole with jsonl and csv, unless a page is named",
      ).choices(FORMATS),
    )
    .addOption(
      new Option("--json", "-o json: the server's answer, and errors as {error, code, requestId}").conflicts("output"),
    )
    .option("-q, --quiet", "print ids or values only, and no remarks")
    .option("--debug", "tell each call to the server on stderr, without secrets")
    .option("--no-input", "never ask; what is missing is an error")
    .option("-y, --yes", "do not ask before what cannot be taken back")
    .configureHelp({ showGlobalOptions: true })
    .configureOutput(json ? { writeErr: () => undefined } : {})
    .exitOverride(({ exitCode, code, message }) => {
      const reason = code === "commander.help" ? "Name a command." : message.replace(/^error: /, "");
      if (exitCode !== 0 && json) new Output({ json }).error(usageError(reason));
      done(exitCode === 0 ? EXIT.ok : EXIT.usage);
      throw new CliError(EXIT.usage, "USAGE_ERROR", message);
    });
  const act: Act = actions(process.env, done);
  const groups = [
    addAccount,
    addTwoFactor,
    addPassword,
    addOrgs,
    addTeams,
    addInvitations,
    addKeys,
    addTokens,
    addEndUsers,
    addModels,
    addChat,
    addImages,
    addBatches,
    addLogs,
    addUsage,
    addBilling,
    addPurchases,
    addNotices,
    addTrain,
    addAdmin,
    addConfig,
    addDoctor,
  ];
  for (const add of groups) add(program, act);
  addParticipant(program, done);
  addCompletion(program);
}

/** Looked for by hand: what cannot be read as arguments is complained about in JSON as well. */
const wantsJson = (argv: readonly string[]): boolean =>
  argv.some(
    (word, at) =>
      word === "--json" ||
      /^(-o|--output=)jsonl?$/.test(word) ||
      (/^jsonl?$/.test(word) && ["-o", "--output"].includes(argv[at - 1] ?? "")),
  );
