import type { Command } from "commander";
import { COMMAND } from "../lib/command-name.ts";
import { addAdminCache } from "./admin-cache.ts";
import { addAdminCredentials } from "./admin-credentials.ts";
import { addAdminDeployments } from "./admin-deployments.ts";
import { addAdminGuardrails } from "./admin-guardrails.ts";
import { addAdminModels } from "./admin-models.ts";
import { addAdminOrganizations } from "./admin-organizations.ts";
import { addAdminTeams } from "./admin-teams.ts";
import type { Page } from "./api.ts";
import { addCredits } from "./billing.ts";
import { CliError, EXIT } from "./cli-error.ts";
import { type Act, type Context, type PageFlags, pageQuery, readCount, withPages } from "./context.ts";
import type { Columns } from "./output.ts";
import { addVouchers } from "./vouchers.ts";

interface User {
  readonly id: number;
  readonly externalId: string | null;
  /** Empty for a record without sign-in. */
  readonly email: string;
  readonly name: string;
  readonly role: string;
  readonly status: string;
  readonly createdAt: string;
  readonly lastLoginAt: string | null;
}

interface AuditEntry {
  readonly id: string;
  readonly at: string;
  readonly actor: string;
  readonly userId: number | null;
  readonly action: string;
  readonly targetType: string;
  readonly targetId: string;
  readonly userName: string | null;
  readonly targetName: string | null;
  readonly address: string | null;
}

const USER = "the user's number, chosen id or email";
const NO_SIGN_IN = "(no sign-in)";
type AuditFlags = PageFlags & { action?: string; user?: number; org?: string };

/** For administrators of the installation. */
export function addAdmin(program: Command, act: Act): void {
  const admin = program.command("admin").description("for administrators of the installation");
  addUsers(admin.command("users").description("everybody who has signed up"), act);
  addAdminModels(admin.command("models").description("models, of the configuration file and stored"), act);
  addAdminCredentials(admin, act);
  addCredits(admin, act);
  addVouchers(admin, act);
  addAdminOrganizations(admin, act);
  addAdminTeams(admin, act);
  addAdminDeployments(admin, act);
  addAdminCache(admin, act);
  addAdminGuardrails(admin, act);

  withPages(admin.command("audit").description("read who changed what, the newest first"))
    .option("--action <name>", "such as api_key.create")
    .option("--user <id>", "only what one user did", readCount)
    .option("--org <id>", "only what happened in one organization")
    .action(
      act(async ({ api, output }, flags: AuditFlags) => {
        const query = { ...pageQuery(flags), action: flags.action, userId: flags.user, organizationId: flags.org };
        const page = await api.get<Page<AuditEntry>>("/api/admin/audit-logs", query);
        output.list(page, output.isTable ? NAMED_ENTRY : ENTRY);
      }),
    );
}

const whoOf = ({ actor, userId }: AuditEntry): string => (userId === null ? actor : `user ${userId}`);
const targetOf = ({ targetType, targetId }: AuditEntry): string => `${targetType} ${targetId}`;
const named = (what: string, name: string | null): string => (name === null ? what : `${name} (${what})`);

/** Programs count columns: names come after the ids that they have always read. */
const ENTRY: Columns<AuditEntry> = {
  TIME: ({ at }) => at,
  WHO: whoOf,
  ACTION: ({ action }) => action,
  TARGET: targetOf,
  NAME: ({ userName }) => userName,
  "TARGET NAME": ({ targetName }) => targetName,
  ADDRESS: ({ address }) => address,
};

const NAMED_ENTRY: Columns<AuditEntry> = {
  TIME: ({ at }) => at,
  WHO: (entry) => named(whoOf(entry), entry.userName),
  ACTION: ({ action }) => action,
  TARGET: (entry) => named(targetOf(entry), entry.targetName),
  ADDRESS: ({ address }) => address,
};

function addUsers(users: Command, act: Act): void {
  withPages(users.command("list").description("list users"))
    .option("--search <text>", "part of the email, the name or the chosen id")
    .action(
      act(async ({ api, output }, flags: PageFlags & { search?: string }) => {
        const query = { ...pageQuery(flags), search: flags.search };
        output.list(await api.get<Page<User>>("/api/admin/users", query), {
          ID: ({ id }) => id,
          "E-MAIL": ({ email }) => email || NO_SIGN_IN,
          NAME: ({ name }) => name,
          ROLE: ({ role }) => role,
          STATUS: ({ status }) => status,
          "LAST LOGIN": ({ lastLoginAt }) => lastLoginAt,
          "CHOSEN ID": ({ externalId }) => externalId,
        });
      }),
    );

  users
    .command("show")
    .alias("get")
    .description("show a user")
    .argument("<user>", USER)
    .action(
      act(async ({ api, output }, _: object, wanted: string) => {
        const user = await api.get<User>(await userPath({ api }, wanted));
        const { id, externalId, email, name, role, status, createdAt, lastLoginAt } = user;
        const names = { Id: id, "Chosen id": externalId, "E-mail": email || NO_SIGN_IN, Name: name };
        const times = { Created: createdAt, "Last login": lastLoginAt };
        output.record(user, { ...names, Role: role, Status: status, ...times }, id);
      }),
    );

  addChange(users, act, { verb: "disable", what: "shut a user out", change: { status: "disabled" }, asks: false });
  addChange(users, act, { verb: "enable", what: "let a user in again", change: { status: "active" }, asks: false });
  addChange(users, act, {
    verb: "make-admin",
    what: "make a user an administrator",
    change: { role: "admin" },
    asks: true,
  });

  addSignIn(users, act);

  users
    .command("remove")
    .alias("delete")
    .description("remove a user for good, and switch off their keys")
    .argument("<user>", USER)
    .action(
      act(async ({ api, output, prompt }, _: object, wanted: string) => {
        const path = await userPath({ api }, wanted);
        await prompt.confirm(`Remove user ${wanted} for good`);
        output.done(await api.send<object>("DELETE", path, undefined), `User ${wanted} is removed.`);
      }),
    );
}

/** Commands that let a user sign in. */
function addSignIn(users: Command, act: Act): void {
  users
    .command("set-email")
    .description("give an email to a record without sign-in")
    .argument("<user>", USER)
    .argument("<email>", "the address that the user signs in with")
    .action(
      act(async ({ api, output }, _: object, user: string, email: string) => {
        const changed = await api.send<User>("PATCH", await userPath({ api }, user), { email });
        output.done(
          changed,
          `User ${user} can sign in as ${changed.email}. Next: ${COMMAND} admin users reset-password`,
        );
      }),
    );

  users
    .command("reset-password")
    .description("make a link to a new password, for you to hand to the user")
    .argument("<user>", USER)
    .action(
      act(async ({ api, output }, _: object, wanted: string) => {
        const path = `${await userPath({ api }, wanted)}/password-reset`;
        const made = await api.send<{ resetUrl: string; expiresAt: string }>("POST", path, undefined);
        output.record(made, { Link: made.resetUrl, Expires: made.expiresAt }, made.resetUrl);
        output.note(`It is shown this once. Without a browser: ${COMMAND} password reset LINK`);
      }),
    );
}

interface Change {
  readonly verb: string;
  readonly what: string;
  readonly change: object;
  readonly asks: boolean;
}

function addChange(users: Command, act: Act, { verb, what, change, asks }: Change): void {
  users
    .command(verb)
    .description(what)
    .argument("<user>", USER)
    .action(
      act(async ({ api, output, prompt }, _: object, wanted: string) => {
        const path = await userPath({ api }, wanted);
        if (asks) await prompt.confirm(`${verb} ${wanted}`);
        const user = await api.send<User>("PATCH", path, change);
        output.done(user, `${user.email || wanted}: ${user.role}, ${user.status}.`);
      }),
    );
}

async function userPath({ api }: Pick<Context, "api">, wanted: string): Promise<string> {
  if (/^[0-9]+$/.test(wanted)) return `/api/admin/users/${wanted}`;
  const users = await api.getAll<User>("/api/admin/users", { search: wanted.slice(0, 100) });
  const found = users.find(({ email, externalId }) => externalId === wanted || email === wanted.toLowerCase());
  if (found) return `/api/admin/users/${found.id}`;
  throw new CliError(EXIT.notFound, "NOT_FOUND", `There is no user ${wanted}.`, {
    hint: `See: ${COMMAND} admin users list`,
  });
}
