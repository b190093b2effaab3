export interface BannerFacts {
  readonly version: string;
  /** What a person types to call the program. */
  readonly command: string;
  readonly url: string;
  /** Where people reach it, as the operator says; null where nobody has said. */
  readonly publicUrl: string | null;
  /** The header that a key is sent in. */
  readonly keyHeader: string;
  readonly dataDir: string;
  readonly database: string;
  /** Whether the database answers; until it does nobody knows whether this is the first start. */
  readonly reachable: boolean;
  readonly pid: number;
  readonly workers: number;
  readonly models: readonly string[];
  readonly startMs: number;
  /** Set at the very first start only. */
  readonly first: {
    readonly adminEmail: string;
    readonly adminPassword: string | null;
    readonly masterKey: string | null;
    readonly demoKey: string | null;
  } | null;
  /** Where the master key can be read again; null when the operator gave it. */
  readonly secretFile: string | null;
  readonly demoModel: string | null;
  /** One of the configured models that answers chats, where there is one. */
  readonly chatModel: string | null;
}

const LABEL_CHARS = 14;
const OWN_KEY = "$TURNPIKE_KEY";
/** Where there is none yet. */
const FIRST_MODEL = "gpt-4o";

/** What a person sees at the start: where it listens, how to get in, and a first call that works as it stands. */
export function renderBanner(told: BannerFacts): string {
  const facts = { ...told, url: openable(told.url) };
  const state = facts.reachable ? `ready in ${facts.startMs} ms` : "waiting for the database";
  const lines = ["", `  Turnpike ${facts.version}  ${state}`, ""];
  const row = (label: string, value: string) => lines.push(`  ${label.padEnd(LABEL_CHARS)}${value}`);
  row("Address", facts.url === told.url ? facts.url : `${facts.url}  (and every other address of this machine)`);
  // Mails, payments and sign-ins lead there: whoever opens the pages elsewhere would be signed in at another address.
  const people = told.publicUrl ?? facts.url;
  if (told.publicUrl !== null) row("Public", `${told.publicUrl}  (public_url; people open this one)`);
  row("Pages", `${people}/ui`);
  row("API page", `${people}/docs`);
  row("Data", facts.dataDir);
  row("Database", facts.database);
  row("Process", `${facts.pid}  (kill -HUP reads the configuration again)`);
  if (facts.workers > 1) row("Workers", `${facts.workers} processes on this port`);
  row("Models", summary(facts.models));
  if (facts.first) {
    lines.push("", "  Shown this one time, keep them:");
    row("Admin", `${facts.first.adminEmail}  ${facts.first.adminPassword ?? "(the password that you set)"}`);
    row("Master key", facts.first.masterKey ?? "(the one that you set)");
    if (facts.first.demoKey) row("Demo key", facts.first.demoKey);
    lines.push("", "  To administer it:", `  ${facts.command} login --url ${people} --email ${facts.first.adminEmail}`);
    if (!facts.demoModel) lines.push("", ...nextSteps(facts));
  } else {
    const shown = facts.reachable ? "shown at the first start" : "shown once the database answers, if it is a new one";
    row("Keys", `${shown}${facts.secretFile ? `; the master key is in ${facts.secretFile}` : ""}`);
  }
  if (facts.demoModel)
    lines.push(
      "",
      `  Try it${facts.first ? "" : ", with TURNPIKE_KEY set to one of your keys"}:`,
      ...curl(facts, facts.demoModel, facts.first?.demoKey ?? facts.first?.masterKey ?? OWN_KEY),
    );
  return `${lines.join("\n")}\n`;
}

/** Where it listens at all addresses, one of them that people can open. */
const openable = (url: string): string => url.replace("//0.0.0.0", "//127.0.0.1").replace("//[::]", "//[::1]");

/** Without the demo there is nobody yet who could call, and maybe nothing to call. */
function nextSteps(facts: BannerFacts): string[] {
  const { command, models, chatModel } = facts;
  const model = `${command} admin models add openai ${FIRST_MODEL} --api-key-stdin < openai-key.txt`;
  const called = models.length === 0 ? FIRST_MODEL : chatModel;
  return [
    `  Then a first ${models.length === 0 ? "model, a key" : "key"}${called === null ? "" : ", and a call"}:`,
    ...(models.length === 0 ? [`  ${model}`] : []),
    `  ${command} orgs create my-organization`,
    `  ${command} orgs use my-organization`,
    `  ${command} admin credits grant my-organization 20 --reason "To begin with"`,
    `  ${command} teams create my-team`,
    `  export TURNPIKE_KEY="$(${command} keys create my-key --team my-team --quiet)"`,
    ...(called === null ? [] : curl(facts, called, OWN_KEY)),
  ];
}

function summary(models: readonly string[]): string {
  if (models.length === 0) return "none yet; add some to turnpike.yaml";
  const shown = models.slice(0, 6).join(", ");
  return models.length > 6 ? `${shown} and ${models.length - 6} more` : shown;
}

function curl(facts: BannerFacts, model: string, key: string): string[] {
  const carrier = facts.keyHeader === "authorization" ? "Authorization: Bearer" : `${facts.keyHeader}:`;
  const body = JSON.stringify({ model, messages: [{ role: "user", content: "Hello!" }] });
  return [
    `  curl ${facts.url}/v1/chat/completions \\`,
    `    -H "${carrier} ${key}" -H "Content-Type: application/json" \\`,
    `    -d '${body}'`,
    "",
  ];
}
