import type { Command } from "commander";
import { readPairs, readSecret } from "./admin-models.ts";
import type { Page } from "./api.ts";
import { CliError, EXIT, usageError } from "./cli-error.ts";
import { type Act, type Context, type PageFlags, pageQuery, withPages } from "./context.ts";

interface Credential {
  readonly credential_name: string;
  readonly credential_values: Readonly<Record<string, unknown>>;
  readonly credential_info: Readonly<Record<string, unknown>>;
  readonly source: string;
  readonly used_by: readonly string[];
}

interface Provider {
  readonly id: string;
  readonly name: string;
  readonly configured: boolean;
  readonly modelsCount: number;
  readonly credentials: readonly { readonly name: string }[];
}

interface SetFlags {
  readonly provider?: string;
  readonly apiKeyStdin?: boolean;
  readonly apiBase?: string;
  readonly value?: Readonly<Record<string, string>>;
}

/** Credentials of providers, and the providers that there are. */
export function addAdminCredentials(admin: Command, act: Act): void {
  const credentials = admin.command("credentials").description("credentials of providers, which models share by name");

  credentials
    .command("list")
    .description("list credentials, without their values")
    .action(
      act(async ({ api, output }) => {
        const answer = await api.get<{ credentials: Credential[] }>("/credentials");
        if (output.format === "json") return output.data(JSON.stringify(answer));
        const rows = answer.credentials.map((one) => ({ ...one, id: one.credential_name }));
        output.listAll(rows, {
          NAME: ({ id }) => id,
          PROVIDER: ({ credential_info: { custom_llm_provider: of } }) => (of == null ? null : String(of)),
          HOLDS: ({ credential_values }) => Object.keys(credential_values).join(", "),
          SOURCE: ({ source }) => source,
          "USED BY": ({ used_by }) => used_by.join(", ") || null,
        });
      }),
    );

  credentials
    .command("set")
    .description("keep a credential, or change what is given of it")
    .argument("<name>")
    .option("--provider <id>", "whose it is")
    .option("--api-key-stdin", "read the key from stdin")
    .option("--api-base <url>", "where the provider is reached")
    .option("--value <name=value...>", "a further parameter, such as api_version=2024-10-21", readPairs)
    .action(
      act(async ({ api, output }, { provider, apiKeyStdin, apiBase, value }: SetFlags, name: string) => {
        const values = {
          ...value,
          ...(apiKeyStdin ? { api_key: await readSecret() } : {}),
          ...(apiBase === undefined ? {} : { api_base: apiBase }),
        };
        const info = provider === undefined ? {} : { credential_info: { custom_llm_provider: provider } };
        const body = { credential_values: values, ...info };
        if (Object.keys(values).length === 0 && provider === undefined) {
          throw usageError("Nothing to keep.", "Give it with --api-key-stdin, --api-base or --value.");
        }
        const exists = await isKept({ api }, name);
        const kept = exists
          ? await api.send<Credential>("PATCH", credentialPath(name), body)
          : await api.send<Credential>("POST", "/credentials", { credential_name: name, ...body });
        output.done(kept, `${name} is ${exists ? "changed" : "kept"}.`);
      }),
    );

  credentials
    .command("remove")
    .description("remove a credential that no model stands on")
    .argument("<name>")
    .action(
      act(async ({ api, output, prompt }, _: object, name: string) => {
        await prompt.confirm(`Remove the credential ${name}`);
        output.done(await api.send<object>("DELETE", credentialPath(name), undefined), `${name} is removed.`);
      }),
    );

  withPages(admin.command("providers").description("list the providers that can be called, those set up first")).action(
    act(async ({ api, output }, flags: PageFlags) => {
      output.list(await api.get<Page<Provider>>("/api/admin/providers", pageQuery(flags)), {
        ID: ({ id }) => id,
        NAME: ({ name }) => name,
        "SET UP": ({ configured }) => (configured ? "yes" : "no"),
        MODELS: ({ modelsCount }) => modelsCount,
        CREDENTIALS: ({ credentials: own }) => own.map(({ name }) => name).join(", ") || null,
      });
    }),
  );
}

const credentialPath = (name: string): string => `/credentials/${encodeURIComponent(name)}`;

async function isKept({ api }: Pick<Context, "api">, name: string): Promise<boolean> {
  try {
    await api.get(`/credentials/by_name/${encodeURIComponent(name)}`);
    return true;
  } catch (thrown) {
    if (thrown instanceof CliError && thrown.exit === EXIT.notFound) return false;
    throw thrown;
  }
}
