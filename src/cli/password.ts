import type { Command } from "commander";
import { COMMAND } from "../lib/command-name.ts";
import type { Act, Context } from "./context.ts";
import { readLinkToken } from "./link-token.ts";
import { readNewPassword } from "./read-password.ts";

interface PasswordFlags {
  readonly passwordStdin?: boolean;
}

const LINK = "the link, or the token in it";
const STDIN = "read the password from stdin; asked for when left out";

/** What people do with links that were mailed to them about their account. */
export function addPassword(program: Command, act: Act): void {
  const password = program.command("password").description("a new password, when the old one is lost");

  password
    .command("forgot")
    .description("have a link to a new password mailed")
    .argument("<email>")
    .action(
      act(async ({ api, output }, _: object, email: string) => {
        const call = { method: "POST", body: { email }, bearer: null };
        const answer = await api.call<{ delivery: string }>("/api/auth/password/forgot", call);
        const byMail = `If ${email} has an account, a mail is on its way. Then: ${COMMAND} password reset LINK`;
        const byHand = `No mail is sent from there: ask an administrator for a link (${COMMAND} admin users reset-password).`;
        output.done(answer, answer.delivery === "mail" ? byMail : byHand);
      }),
    );

  password
    .command("reset")
    .description("choose a new password with a link")
    .argument("<link>", LINK)
    .option("--password-stdin", STDIN)
    .action(
      act(async ({ api, output, prompt }: Context, flags: PasswordFlags, link: string) => {
        const token = readLinkToken(link);
        const next = await readNewPassword({ prompt }, flags.passwordStdin === true);
        const call = { method: "POST", body: { token, password: next }, bearer: null };
        const answer = await api.call<object>("/api/auth/password/reset", call);
        output.done(answer, `The new password is set; all sessions have ended. Sign in with: ${COMMAND} login`);
      }),
    );

  program
    .command("verify-email")
    .description("show with the mailed link that your address is yours; without a link: have it mailed again")
    .argument("[link]", LINK)
    .action(
      act(async ({ api, output }, _: object, link: string | undefined) => {
        if (link === undefined) {
          const answer = await api.send<object>("POST", "/api/auth/verify-email/resend");
          return output.done(answer, "A mail is on its way, unless your address is verified already.");
        }
        const answer = await api.send<object>("POST", "/api/auth/verify-email", { token: readLinkToken(link) });
        output.done(answer, "Your address is verified.");
      }),
    );
}
