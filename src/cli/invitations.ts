import type { Command } from "commander";
import type { InvitationPreviewRecord } from "../contract/invitations.ts";
import type { InvitationRecord } from "../contract/organizations.ts";
import { COMMAND } from "../lib/command-name.ts";
import type { Page } from "./api.ts";
import { CliError, EXIT, usageError } from "./cli-error.ts";
import { type Act, type Context, type PageFlags, pageQuery, withPages } from "./context.ts";
import { readLinkToken } from "./link-token.ts";
import type { Output } from "./output.ts";

const INVITATION = "its id, or the e-mail that was invited";

/** Invitations that are under way, and accepting one. */
export function addInvitations(program: Command, act: Act): void {
  const invitations = program.command("invitations").description("invitations that nobody has accepted yet");

  withPages(invitations.command("list").description("list the open invitations of the organization")).action(
    act(async ({ api, output }, flags: PageFlags) => {
      output.list(await api.get<Page<InvitationRecord>>("/api/invitations", pageQuery(flags)), {
        ID: ({ id }) => id,
        "E-MAIL": ({ email }) => email,
        TEAM: ({ teamName }) => teamName,
        ROLE: ({ role }) => role,
        EXPIRES: ({ expiresAt }) => expiresAt,
      });
    }),
  );

  invitations
    .command("resend")
    .description("send an invitation again, with a new link")
    .argument("<invitation>", INVITATION)
    .action(
      act(async ({ api, output }, _: object, wanted: string) => {
        const id = await findInvitationId({ api }, wanted);
        showInvitation(output, await api.send("POST", `/api/invitations/${encodeURIComponent(id)}/resend`));
      }),
    );

  invitations
    .command("revoke")
    .description("take an invitation back")
    .argument("<invitation>", INVITATION)
    .action(
      act(async ({ api, output, prompt }, _: object, wanted: string) => {
        const id = await findInvitationId({ api }, wanted);
        await prompt.confirm(`Take the invitation ${wanted} back`);
        const answer = await api.send<object>("DELETE", `/api/invitations/${encodeURIComponent(id)}`, undefined);
        output.done(answer, `The invitation ${wanted} is no longer good.`);
      }),
    );

  invitations
    .command("accept")
    .description(`accept an invitation to your e-mail; without an account: ${COMMAND} signup --invitation`)
    .argument("<link>", "the link, or the token in it")
    .action(
      act(async ({ api, output }, _: object, link: string) => {
        const token = readLinkToken(link);
        const joined = await api.send<InvitationPreviewRecord>("POST", "/api/invitations/accept", { token });
        output.done(joined, `You are in the team ${joined.teamName} of ${joined.organizationName} now.`);
        output.note(`Work there with: ${COMMAND} orgs use ${joined.organizationId}`);
      }),
    );
}

/** The link is what a script wants; for people it comes with what to do with it. */
export function showInvitation(output: Output, invitation: InvitationRecord): void {
  const { id, email, teamName, role, expiresAt, inviteUrl } = invitation;
  const fields = { Id: id, "E-mail": email, Team: teamName, Role: role, Expires: expiresAt };
  output.record(invitation, { ...fields, ...(inviteUrl ? { Link: inviteUrl } : {}) }, inviteUrl ?? id);
  output.note(
    inviteUrl
      ? `Hand the link to ${email}; it is shown this once. Without a browser: turnpike signup --invitation LINK`
      : `A mail with the link is on its way to ${email}.`,
  );
}

async function findInvitationId({ api }: Pick<Context, "api">, wanted: string): Promise<string> {
  if (!wanted.includes("@")) return wanted;
  const { data } = await api.get<Page<InvitationRecord>>("/api/invitations", pageQuery({}));
  const found = data.filter(({ email }) => email === wanted.toLowerCase());
  if (found.length > 1) throw usageError(`${wanted} has ${found.length} invitations.`, "Name one by its id.");
  const [one] = found;
  if (one) return one.id;
  throw new CliError(EXIT.notFound, "NOT_FOUND", `${wanted} has no open invitation.`, {
    hint: `See: ${COMMAND} invitations list`,
  });
}
