import { type Command, Option } from "commander";
import type { Static } from "typebox";
import {
  INVITATION_ROLES,
  type InvitationRecord,
  type MemberRecord,
  type TeamDetails,
  type TeamMemberRecord,
  type TeamRecord,
} from "../contract/organizations.ts";
import { COMMAND } from "../lib/command-name.ts";
import type { Page } from "./api.ts";
import { CliError, EXIT, usageError } from "./cli-error.ts";
import { type Act, type Context, type PageFlags, pageQuery, withPages } from "./context.ts";
import { showInvitation } from "./invitations.ts";
import { type LimitFlags, limitBody, limitFields, limitRemarks, withLimits } from "./limit-flags.ts";
import { guardrailList, modelList, modelRemarks } from "./model-list.ts";
import { requireChanges } from "./require-changes.ts";

const TEAM = "its id or name";
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Teams and who is in them. */
export function addTeams(program: Command, act: Act): void {
  const teams = program.command("teams").description("teams of the organization");

  withPages(teams.command("list").description("list the teams that you may see")).action(
    act(async ({ api, output }, flags: PageFlags) => {
      output.list(await api.get<Page<TeamRecord>>("/api/gw/teams", pageQuery(flags)), {
        ID: ({ id }) => id,
        NAME: ({ name }) => name,
        STATUS: ({ status }) => status,
        MEMBERS: ({ membersCount }) => membersCount,
        KEYS: ({ keysCount }) => keysCount,
      });
    }),
  );

  teams
    .command("create")
    .description("create a team")
    .argument("<name>")
    .action(
      act(async ({ api, output }, _: object, name: string) => {
        const made = await api.send<TeamRecord>("POST", "/api/gw/teams", { name });
        output.record(made, { Id: made.id, Name: made.name }, made.id);
        output.note(`Make a key for it with: ${COMMAND} keys create my-key --team ${made.id}`);
      }),
    );

  teams
    .command("show")
    .alias("get")
    .description("show a team with its members")
    .argument("<team>", TEAM)
    .action(
      act(async ({ api, output }, _: object, wanted: string) => {
        const id = await findTeamId({ api }, wanted);
        const team = await api.get<Static<typeof TeamDetails>>(`/api/gw/teams/${encodeURIComponent(id)}`);
        const members = team.members.map(({ userId, email, name, role }) => `${email || name} (${role}, id ${userId})`);
        const models = team.models.join(", ") || "all";
        const guardrails = { Guardrails: team.guardrails.join(", ") || "none of its own" };
        const naming = { Id: team.id, Name: team.name, Status: team.status, Models: models };
        const fields = { ...naming, ...guardrails, Keys: team.keysCount };
        const invited = team.invitations.map(({ email, role }) => `${email} (${role})`);
        const people = { Members: members.join(", ") || "none", Invited: invited.join(", ") || "none" };
        output.record(team, { ...fields, ...limitFields(team), ...people }, team.id);
      }),
    );

  addChanging(teams, act);

  teams
    .command("remove")
    .alias("delete")
    .description("remove a team and its keys for good; its members stay in the organization")
    .argument("<team>", TEAM)
    .action(
      act(async ({ api, output, prompt }, _: object, wanted: string) => {
        const id = await findTeamId({ api }, wanted);
        await prompt.confirm(`Remove the team ${wanted} and its keys for good`);
        const answer = await api.send<object>("DELETE", `/api/gw/teams/${encodeURIComponent(id)}`, undefined);
        output.done(answer, `The team ${wanted} and its keys are removed.`);
      }),
    );

  teams
    .command("invite")
    .alias("add-member")
    .description("bring somebody in: at once if they are in the organization, else by an invitation")
    .argument("<team>", TEAM)
    .argument("<email>", "whom to invite")
    .addOption(new Option("--role <role>", "what they may do").choices([...INVITATION_ROLES]).default("member"))
    .action(
      act(async ({ api, output }, { role }: { role: string }, wanted: string, email: string) => {
        const teamId = await findTeamId({ api }, wanted);
        const body = { teamId, email, role };
        const answer = await api.send<MemberRecord | InvitationRecord>("POST", "/api/gw/teams/invite-member", body);
        if ("teamId" in answer) showInvitation(output, answer);
        else output.done(answer, `${answer.email} is in the team now (${answer.role}).`);
      }),
    );

  teams
    .command("remove-member")
    .description("take somebody out of a team")
    .argument("<team>", TEAM)
    .argument("<member>", "the person's e-mail or user id")
    .action(
      act(async ({ api, output, prompt }, _: object, wanted: string, member: string) => {
        const teamId = await findTeamId({ api }, wanted);
        const memberId = await findMemberId({ api }, teamId, member);
        await prompt.confirm(`Take ${member} out of the team`);
        const answer = await api.send<object>("POST", "/api/gw/teams/remove-member", { teamId, memberId });
        output.done(answer, `${member} is no longer in the team.`);
      }),
    );
}

interface TeamFlags extends LimitFlags {
  readonly name?: string;
  readonly models?: string[];
  readonly guardrails?: string[];
}

function addChanging(teams: Command, act: Act): void {
  const update = teams
    .command("update")
    .description("change a team and what it may call and spend; what is not named stays")
    .argument("<team>", TEAM)
    .option("--name <name>", "another name")
    .option("--models <models...>", "the only models that it may call; all for all of them")
    .option("--guardrails <names...>", "guardrails that look at all its calls, or none");
  withLimits(update).action(
    act(async ({ api, output }, flags: TeamFlags, wanted: string) => {
      const lists = { models: modelList(flags.models), guardrails: guardrailList(flags.guardrails) };
      const changes = requireChanges("teams update", { name: flags.name, ...lists, ...limitBody(flags) });
      const path = `/api/gw/teams/${encodeURIComponent(await findTeamId({ api }, wanted))}`;
      const team = await api.send<TeamRecord>("PATCH", path, changes);
      const models = team.models.join(", ") || "all";
      const fields = { Id: team.id, Name: team.name, Models: models, Guardrails: team.guardrails.join(", ") || null };
      output.record(team, { ...fields, ...limitFields(team) }, team.id);
      const remarks = [...limitRemarks(team), ...(await modelRemarks({ api }, lists.models))];
      for (const remark of remarks) output.note(`Note: ${remark}`);
    }),
  );

  const member = teams
    .command("update-member")
    .description("change the role of somebody in a team, or what they may spend there")
    .argument("<team>", TEAM)
    .argument("<member>", "the person's e-mail or user id")
    .addOption(new Option("--role <role>", "what they may do").choices(["member", "admin"]));
  withLimits(member).action(
    act(async ({ api, output }, flags: LimitFlags & { role?: string }, wanted: string, person: string) => {
      const { softBudget, parallelLimit, ...limits } = limitBody(flags);
      if (softBudget !== undefined || parallelLimit !== undefined) {
        throw usageError("A member has no --soft-budget and no --parallel.");
      }
      const changes = requireChanges("teams update-member", { role: flags.role, ...limits });
      const teamId = await findTeamId({ api }, wanted);
      const userId = await findMemberId({ api }, teamId, person);
      const path = `/api/gw/teams/${encodeURIComponent(teamId)}/members/${encodeURIComponent(userId)}`;
      const changed = await api.send<TeamMemberRecord>("PATCH", path, changes);
      output.record(
        changed,
        { "E-mail": changed.email, Role: changed.role, ...limitFields(changed) },
        changed.userId ?? changed.email,
      );
    }),
  );
}

/** What the ids of teams stand for; those past the first hundred keep their ids. */
export async function teamNames({ api }: Pick<Context, "api">): Promise<ReadonlyMap<string, string>> {
  const { data } = await api.get<Page<TeamRecord>>("/api/gw/teams", pageQuery({}));
  return new Map(data.map(({ id, name }) => [id, name]));
}

/** Names are for people: whatever is no id is looked for among the teams. */
export async function findTeamId({ api }: Pick<Context, "api">, wanted: string): Promise<string> {
  if (UUID.test(wanted)) return wanted;
  const teams = await api.getAll<TeamRecord>("/api/gw/teams");
  const found = teams.filter(({ id, name }) => id === wanted || name.toLowerCase() === wanted.toLowerCase());
  if (found.length > 1) throw usageError(`"${wanted}" names ${found.length} teams.`, "Name it by its id.");
  const [team] = found;
  if (team) return team.id;
  throw new CliError(EXIT.notFound, "NOT_FOUND", `There is no team "${wanted}".`, {
    hint: `See: ${COMMAND} teams list`,
  });
}

async function findMemberId({ api }: Pick<Context, "api">, teamId: string, member: string): Promise<string> {
  if (/^[0-9]+$/.test(member)) return member;
  const members = await api.getAll<MemberRecord>(`/api/gw/teams/${encodeURIComponent(teamId)}/members`);
  const found = members.find(({ email, status }) => email === member.toLowerCase() && status === "active");
  if (found) return String(found.userId);
  throw new CliError(EXIT.notFound, "NOT_FOUND", `${member} is not in the team.`, {
    hint: `See: ${COMMAND} teams show`,
  });
}
