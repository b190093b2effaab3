import type { Command } from "commander";
import type { EndUserRecord } from "../contract/end-users.ts";
import { dollars } from "../contract/money.ts";
import type { Page } from "./api.ts";
import { CliError, EXIT } from "./cli-error.ts";
import { type Act, type Context, type PageFlags, pageQuery, withPages } from "./context.ts";
import { type LimitFlags, limitBody, limitFields, limitRemarks, withLimits } from "./limit-flags.ts";
import type { Output } from "./output.ts";
import { requireChanges } from "./require-changes.ts";

const PATH = "/api/end-users";
const NAME = "the name that calls tell";

interface SetFlags extends LimitFlags {
  readonly alias?: string;
}

/** Those whom the organization makes calls for. */
export function addEndUsers(program: Command, act: Act): void {
  const users = program.command("end-users").description("whom calls are made for, with limits, budgets and blocks");

  withPages(users.command("list").description("list those with limits, a budget or a block"))
    .option("--search <text>", "a part of the name or of the alias")
    .action(
      act(async ({ api, output }, flags: PageFlags & { search?: string }) => {
        const query = { ...pageQuery(flags), search: flags.search };
        output.list(await api.get<Page<EndUserRecord>>(PATH, query), {
          NAME: ({ id }) => id,
          ALIAS: ({ alias }) => alias,
          BLOCKED: ({ blocked }) => (blocked ? "yes" : "no"),
          SPENT: ({ spent }) => dollars(spent),
          BUDGET: ({ budget }) => budget && `${dollars(budget.limit)} (${budget.window})`,
          RPM: ({ rpmLimit }) => rpmLimit,
          TPM: ({ tpmLimit }) => tpmLimit,
        });
      }),
    );

  const set = users
    .command("set")
    .description("give one limits and a budget, or change them; what is not named stays")
    .argument("<name>", NAME)
    .option("--alias <text>", "a name for people, or none");
  withLimits(set).action(
    act(async ({ api, output }, flags: SetFlags, name: string) => {
      const alias = flags.alias === "none" ? null : flags.alias;
      show(output, await put({ api }, name, requireChanges("end-users set", { alias, ...limitBody(flags) })));
    }),
  );

  for (const blocked of [true, false]) {
    users
      .command(blocked ? "block" : "unblock")
      .description(blocked ? "refuse calls for one, from the very next one on" : "let calls for one in again")
      .argument("<name>", NAME)
      .action(
        act(async ({ api, output }, _: object, name: string) => {
          const changed = blocked
            ? await put({ api }, name, { blocked })
            : await api.send<EndUserRecord>("PATCH", pathOf(name), { blocked });
          output.done(changed, `Calls for ${name} are ${blocked ? "refused" : "let in"} now.`);
        }),
      );
  }

  users
    .command("remove")
    .alias("delete")
    .description("let go of one; calls for them are let in as for anybody from then on")
    .argument("<name>", NAME)
    .action(
      act(async ({ api, output, prompt }, _: object, name: string) => {
        await prompt.confirm(`Remove the limits, the budget and the block of ${name}`);
        output.done(await api.send<object>("DELETE", pathOf(name), undefined), `${name} is let go of.`);
      }),
    );
}

/** Changes one, or makes a record for one who has none yet. */
async function put({ api }: Pick<Context, "api">, name: string, changes: object): Promise<EndUserRecord> {
  try {
    return await api.send<EndUserRecord>("PATCH", pathOf(name), changes);
  } catch (thrown) {
    if (!(thrown instanceof CliError) || thrown.exit !== EXIT.notFound) throw thrown;
    return api.send<EndUserRecord>("POST", PATH, { id: name, ...changes });
  }
}

function show(output: Output, user: EndUserRecord): void {
  const fields = { Name: user.id, Alias: user.alias, Blocked: user.blocked ? "yes" : "no", Spent: dollars(user.spent) };
  output.record(user, { ...fields, ...limitFields(user) }, user.id);
  for (const remark of limitRemarks(user)) output.note(`Note: ${remark}`);
}

const pathOf = (name: string): string => `${PATH}/${encodeURIComponent(name)}`;
