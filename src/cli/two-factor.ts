import type { Command } from "commander";
import { COMMAND } from "../lib/command-name.ts";
import { usageError } from "./cli-error.ts";
import type { Act, Context } from "./context.ts";
import { readStdin } from "./prompt.ts";
import { readPassword } from "./read-password.ts";

interface ProofFlags {
  readonly code?: string;
  readonly passwordStdin?: boolean;
}

interface Codes {
  readonly recoveryCodes: readonly string[];
}

/** One's own second factor. */
export function addTwoFactor(program: Command, act: Act): void {
  const account = program.command("account").description("your own account");
  const twoFactor = account.command("2fa").description("a second factor: codes of an app beside the password");

  twoFactor
    .command("enable")
    .description("show a secret for the app, then switch the second factor on with its first code")
    .option("--code <code>", "a code of the secret that was shown before")
    .option("--password-stdin", "read your password from stdin; asked for when left out")
    .action(
      act(async ({ api, output, prompt }, { code, passwordStdin }: ProofFlags) => {
        if (code === undefined) {
          const made = await api.send<{ secret: string; uri: string }>("POST", "/api/auth/2fa/setup");
          output.record(made, { Secret: made.secret, Address: made.uri }, made.secret);
          if (!prompt.isPossible) {
            output.note(`Add it to your app, then run \`${COMMAND} account 2fa enable --code CODE --password-stdin\`.`);
            return;
          }
        }
        const first = code ?? (await prompt.ask("Code that the app shows", "Give it with --code."));
        const password = await readPassword({ prompt }, passwordStdin === true);
        showCodes({ output }, await api.send<Codes>("POST", "/api/auth/2fa/enable", { code: first, password }));
        output.note("Your other sessions have ended.");
      }),
    );

  withProof(twoFactor.command("disable").description("switch the second factor off")).action(
    act(async (context, flags: ProofFlags) => {
      await context.api.send("POST", "/api/auth/2fa/disable", await readProof(context, flags));
      context.output.done({ success: true }, "The second factor is off.");
    }),
  );

  withProof(twoFactor.command("recovery-codes").description("get new recovery codes; the old ones end")).action(
    act(async (context, flags: ProofFlags) => {
      const proof = await readProof(context, flags);
      showCodes(context, await context.api.send<Codes>("POST", "/api/auth/2fa/recovery-codes", proof));
    }),
  );
}

const withProof = (command: Command): Command =>
  command
    .option("--code <code>", "a code of the app, or a recovery code; asked for when left out")
    .option("--password-stdin", "read the password from stdin instead");

async function readProof({ prompt }: Pick<Context, "prompt">, flags: ProofFlags): Promise<object> {
  if (flags.passwordStdin !== true) {
    return { code: flags.code ?? (await prompt.ask("Code of the second factor", "Give it with --code.")) };
  }
  const password = (await readStdin()).replace(/\r?\n$/, "");
  if (password === "") throw usageError("No password came from stdin.");
  return { password };
}

function showCodes({ output }: Pick<Context, "output">, codes: Codes): void {
  output.note("Recovery codes, each good once. They are shown this one time, keep them:");
  if (output.json) output.data(JSON.stringify(codes));
  else for (const code of codes.recoveryCodes) output.data(code);
}
