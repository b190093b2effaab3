import { type Command, Option } from "commander";
import { type FreshTokenRecord, type ManagementTokenRecord, TOKEN_SCOPES } from "../contract/management-tokens.ts";
import type { OrganizationRecord } from "../contract/organizations.ts";
import { COMMAND } from "../lib/command-name.ts";
import type { Page } from "./api.ts";
import { CliError, EXIT, usageError } from "./cli-error.ts";
import { type Act, type Context, type PageFlags, pageQuery, withPages } from "./context.ts";
import { EXPIRY, expiryReader, orNever } from "./read-expiry.ts";

const PATH = "/api/management-tokens";
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Tokens by which programs manage one organization on one's behalf. */
export function addTokens(program: Command, act: Act): void {
  const tokens = program.command("tokens").description("management tokens, for programs");

  withPages(tokens.command("list").description("list your tokens, the newest first")).action(
    act(async ({ api, output }, flags: PageFlags) => {
      const names = new Map((await organizations({ api })).map(({ id, name }) => [id, name]));
      output.list(await api.get<Page<ManagementTokenRecord>>(PATH, pageQuery(flags)), {
        ID: ({ id }) => id,
        NAME: ({ name }) => name,
        TOKEN: ({ maskedToken }) => maskedToken,
        ORGANIZATION: ({ organizationId }) => names.get(organizationId) ?? organizationId,
        SCOPES: ({ scopes }) => scopes.join(" "),
        "LAST USED": ({ lastUsedAt }) => lastUsedAt,
        EXPIRES: ({ expiresAt }) => expiresAt,
      });
    }),
  );

  tokens
    .command("create")
    .description("create one; with --quiet its value stands alone on stdout")
    .argument("<name>")
    .addOption(
      new Option("--scopes <scopes...>", "what it may be used for").choices(TOKEN_SCOPES).makeOptionMandatory(),
    )
    .option("--org <organization>", "the organization that it reaches, by id, slug or name; the one in use unless told")
    .option("--expires <time>", EXPIRY, expiryReader())
    .action(
      act(async ({ api, output }, flags: { scopes: string[]; org?: string; expires?: string }, name: string) => {
        const organizationId = flags.org === undefined ? undefined : await findOwn({ api }, flags.org);
        const expiresAt = orNever(flags.expires);
        const made = await api.send<FreshTokenRecord>("POST", PATH, {
          name,
          scopes: flags.scopes,
          organizationId,
          expiresAt,
        });
        const { token, id, scopes } = made;
        output.record(made, { Token: token, Id: id, Name: made.name, Scopes: scopes.join(" ") }, token);
        output.note("Keep the token now: it is not shown again. Programs send it as a bearer, or as TURNPIKE_TOKEN.");
      }),
    );

  tokens
    .command("delete")
    .alias("remove")
    .description("delete a token; it opens nothing from then on")
    .argument("<token>", "its id or name")
    .action(
      act(async ({ api, output, prompt }, _: object, wanted: string) => {
        const id = await findTokenId({ api }, wanted);
        await prompt.confirm(`Delete the token ${wanted}; programs that use it stop`);
        output.done(await api.send<object>("DELETE", `${PATH}/${encodeURIComponent(id)}`), "The token is deleted.");
      }),
    );
}

const organizations = ({ api }: Pick<Context, "api">) => api.getAll<OrganizationRecord>("/api/gw/organizations/list");

async function findOwn({ api }: Pick<Context, "api">, wanted: string): Promise<string> {
  const found = (await organizations({ api })).filter(({ id, slug, name }) => [id, slug, name].includes(wanted));
  if (found.length > 1) throw usageError(`"${wanted}" names ${found.length} organizations.`, "Name it by its id.");
  const [organization] = found;
  if (organization) return organization.id;
  throw missing("organization", wanted, "orgs list");
}

async function findTokenId({ api }: Pick<Context, "api">, wanted: string): Promise<string> {
  if (ID.test(wanted)) return wanted;
  const found = (await api.getAll<ManagementTokenRecord>(PATH)).filter(({ name }) => name === wanted);
  if (found.length > 1) throw usageError(`"${wanted}" names ${found.length} tokens.`, "Name it by its id.");
  const [token] = found;
  if (token) return token.id;
  throw missing("token", wanted, "tokens list");
}

const missing = (what: string, wanted: string, see: string): CliError =>
  new CliError(EXIT.notFound, "NOT_FOUND", `There is no ${what} "${wanted}".`, { hint: `See: ${COMMAND} ${see}` });
