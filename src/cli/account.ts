import type { Command } from "commander";
import type { InvitationPreviewRecord } from "../contract/invitations.ts";
import { CliError, EXIT, usageError } from "./cli-error.ts";
import type { Act, Context } from "./context.ts";
import { deviceLogin } from "./device-login.ts";
import { activeOrganization } from "./find-organization.ts";
import { readLinkToken } from "./link-token.ts";
import { isPlainAbroad } from "./plain-http.ts";
import { readNewPassword, readPassword } from "./read-password.ts";

interface Issued {
  readonly token: string;
  readonly expiresAt: string;
}

interface User {
  readonly id: number;
  readonly email: string;
  readonly name: string;
  readonly role: string;
}

interface LoginFlags {
  readonly email?: string;
  readonly passwordStdin?: boolean;
  readonly password?: string;
}

interface DeviceFlags extends LoginFlags {
  readonly code?: string;
  readonly device?: boolean;
  readonly open?: boolean;
}

interface SignUpFlags extends LoginFlags {
  readonly name?: string;
  readonly organization?: string;
  readonly invitation?: string;
}

/** Signing up, in and out: by itself, and under `auth`, where other command lines have it. */
export function addAccount(program: Command, act: Act): void {
  addSigning(program, act);
  const auth = program.command("auth").description("signing up, in and out; the same as without `auth`");
  addSigning(auth, act);
  auth
    .command("token")
    .description("print the token that calls are made with, for other programs")
    .action(
      act(async ({ api, output }) => {
        const token = await api.token();
        output.data(output.json ? JSON.stringify({ token }) : token);
      }),
    );
}

function addSigning(program: Command, act: Act): void {
  withLogin(program.command("login").description("sign in and keep the token in the credentials file"))
    .option("--code <code>", "of the second factor, or a recovery code; asked for where one is needed")
    .option("--device", "approve it in a browser, here or on another machine, rather than type a password")
    .option("--open", "with --device: open the browser")
    .action(
      act(async ({ api, session, output, prompt }, flags: DeviceFlags) => {
        warnOfPlainHttp({ session, output });
        const issued =
          flags.device === true
            ? deviceLogin({ api, output }, flags.open === true)
            : logIn({ api, prompt, output }, flags);
        session.keep(await issued);
        const { user } = await api.get<{ user: User }>("/api/auth/me");
        await keepProfile({ api, session }, user.email);
        output.done({ user }, `Signed in at ${session.url} as ${user.email}.`);
      }),
    );

  withLogin(program.command("signup").description("make an account and sign in with it"))
    .option("--name <name>", "your name")
    .option("--organization <name>", "the name of your organization")
    .option("--invitation <link>", "join the organization that invites you: the link, or the token in it")
    .action(
      act(async ({ api, session, output, prompt }, flags: SignUpFlags) => {
        const invitation = flags.invitation === undefined ? null : await readInvitation({ api }, flags.invitation);
        const { email, password } = await readLogin({ prompt, output }, { ...invitation, ...flags }, true);
        warnOfPlainHttp({ session, output });
        const { name, organization: organizationName } = flags;
        const body = { email, password, name, organizationName, invitationToken: invitation?.token };
        const made = await call(() =>
          api.call<{ user: User; token: string; expiresAt: string }>("/api/auth/signup", {
            method: "POST",
            body,
            bearer: null,
          }),
        );
        session.keep(made);
        await keepProfile({ api, session }, made.user.email);
        output.done({ user: made.user }, `Signed up at ${session.url} as ${made.user.email}, and signed in.`);
        if (invitation) output.note(`You are in the team ${invitation.teamName} of ${invitation.organizationName}.`);
      }),
    );

  program
    .command("logout")
    .description("end the session and forget its token")
    .action(
      act(async ({ api, session, output }) => {
        if (session.isFromEnvironment) throw usageError("TURNPIKE_TOKEN is set.", "Unset it to be signed out here.");
        // A session that the server no longer knows is ended as well.
        await api.send("POST", "/api/auth/logout").catch((thrown: unknown) => {
          if (!session.isKept || !(thrown instanceof CliError) || thrown.code !== "UNAUTHORIZED") throw thrown;
        });
        session.forget();
        output.done({ success: true }, `Signed out of ${session.url}.`);
      }),
    );

  program
    .command("whoami")
    .description("tell who is signed in, and where")
    .action(
      act(async ({ api, session, output }) => {
        const { user } = await api.get<{ user: User }>("/api/auth/me");
        const fields = { "E-mail": user.email, Name: user.name, Role: user.role, Id: user.id };
        const organization = await activeOrganization({ api });
        const whole = { user, organization, url: session.url, profile: session.profileName };
        const working = { Organization: organization && `${organization.name} (${organization.id})` };
        output.record(whole, { ...fields, ...working, Server: session.url, Profile: session.profileName }, user.email);
      }),
    );
}

const withLogin = (command: Command): Command =>
  command
    .option("--email <address>", "asked for when left out")
    .option("--password-stdin", "read the password from stdin; asked for when left out")
    .option("--password <password>", "better not: others on the machine can see it, and your shell keeps it");

async function logIn(context: Pick<Context, "api" | "prompt" | "output">, flags: DeviceFlags): Promise<Issued> {
  const { api, prompt } = context;
  const { email, password } = await readLogin(context, flags, false);
  const send = (code: string | undefined) => {
    const body = code === undefined ? { email, password } : { email, password, code };
    return call(() => api.call<Issued>("/api/auth/token", { method: "POST", body, bearer: null }));
  };
  try {
    return await send(flags.code);
  } catch (thrown) {
    if (!(thrown instanceof CliError && thrown.needsCode) || flags.code !== undefined || !prompt.isPossible)
      throw thrown;
    return send(await prompt.ask("Code of the second factor", "Give it with --code."));
  }
}

async function readLogin(
  { prompt, output }: Pick<Context, "prompt" | "output">,
  flags: LoginFlags,
  isNew: boolean,
): Promise<{ email: string; password: string }> {
  const email = flags.email ?? (await prompt.ask("E-mail", "Give it with --email."));
  if (flags.password !== undefined) {
    if (flags.passwordStdin === true) throw usageError("Give --password or --password-stdin, not both.");
    output.note(
      "Careful: others on this machine can see a password that is typed as a flag; --password-stdin is safer.",
    );
    return { email, password: flags.password };
  }
  const fromStdin = flags.passwordStdin === true;
  return {
    email,
    password: await (isNew ? readNewPassword({ prompt }, fromStdin) : readPassword({ prompt }, fromStdin)),
  };
}

/** Who comes by a link need not say who they are: the link is for one address. */
async function readInvitation({ api }: Pick<Context, "api">, link: string) {
  const token = readLinkToken(link);
  const call = { method: "POST", body: { token }, bearer: null };
  const { email, teamName, organizationName } = await api.call<InvitationPreviewRecord>(
    "/api/invitations/preview",
    call,
  );
  return { token, email, teamName, organizationName };
}

/** Whoever comes back works in the organization that they chose before. */
async function keepProfile({ api, session }: Pick<Context, "api" | "session">, email: string): Promise<void> {
  const { files, profileName, url } = session;
  const before = files.profile(profileName);
  const organizationId = before.email === email && before.url === url ? before.organizationId : undefined;
  const kept =
    organizationId !== undefined &&
    (await api.send("POST", "/api/gw/organizations/active", { organizationId }).then(
      () => true,
      () => false,
    ));
  files.saveProfile(profileName, { url, email, ...(kept ? { organizationId } : {}) });
}

/** A login that is refused is not helped by the hint to log in. */
async function call<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (thrown) {
    if (!(thrown instanceof CliError) || thrown.exit !== EXIT.notSignedIn || thrown.needsCode) throw thrown;
    const { exit, code, message, requestId } = thrown;
    throw new CliError(exit, code, message, { requestId, hint: "Check the address, the e-mail and the password." });
  }
}

function warnOfPlainHttp({ session, output }: Pick<Context, "session" | "output">): void {
  if (isPlainAbroad(session.url)) output.note("Careful: over http the password can be read on its way.");
}
