import { type Command, Option } from "commander";
import type { Page } from "./api.ts";
import { usageError } from "./cli-error.ts";
import { type Act, type Context, type PageFlags, pageQuery, readCount, withPages } from "./context.ts";

interface Deployment {
  readonly id: string;
  readonly group: string;
  readonly provider: string;
  readonly model: string;
  readonly strategy: string;
  readonly state: string;
  readonly lacks: string | null;
  readonly weight: number | null;
  readonly share: number;
  readonly inFlight: number;
  readonly streamFirstByteMs: number | null;
  readonly plainFirstByteMs: number | null;
  readonly calls: number;
  readonly failures: number;
  readonly checkOk: boolean | null;
  readonly restsUntil: string | null;
  readonly spentUntil: string | null;
}

const ID = "its id, or how a long one begins";

/** Deployments as they run: state, load and latency, and what an operator can do about them. */
export function addAdminDeployments(admin: Command, act: Act): void {
  const deployments = admin.command("deployments").description("deployments as they run: state, load, weight, rest");

  withPages(deployments.command("list").description("list deployments with their state"))
    .option("--group <name>", "only those of one group")
    .option("--state <state>", "well, off, resting, probing, unwell or spent")
    .action(
      act(async ({ api, output }, flags: PageFlags & { group?: string; state?: string }) => {
        const query = { ...pageQuery(flags), group: flags.group, state: flags.state };
        const page = await api.get<Page<Deployment>>("/api/admin/deployments", query);
        output.list(page, {
          ID: ({ id }) => (output.isTable ? shortId(id) : id),
          GROUP: ({ group }) => group,
          MODEL: ({ provider, model }) => `${provider}/${model}`,
          STATE: ({ state, lacks, calls, checkOk, restsUntil, spentUntil }) => {
            if (lacks !== null && state !== "off") return "not set up";
            // Nothing has failed because nothing was tried; programs get the state as the server has it.
            if (output.isTable && state === "well" && calls === 0 && checkOk !== true) return "not tried yet";
            const until = state === "spent" ? spentUntil : restsUntil;
            return until === null ? state : `${state} until ${until}`;
          },
          SHARE: ({ share }) => share,
          "IN FLIGHT": ({ inFlight }) => inFlight,
          CALLS: ({ calls }) => calls,
          FAILED: ({ failures }) => failures,
          "FIRST BYTE": (one) => milliseconds(one.streamFirstByteMs ?? one.plainFirstByteMs),
        });
        for (const { group, lacks } of page.data) if (lacks !== null) output.note(`Calls of ${group} fail: ${lacks}`);
      }),
    );

  const addSwitch = (verb: string, what: string, enabled: boolean) =>
    deployments
      .command(verb)
      .description(what)
      .argument("<id>", ID)
      .action(
        act(async ({ api, output }, _: object, wanted: string) => {
          const id = await findId({ api }, wanted);
          const set = await api.send<Deployment>("PATCH", pathOf(id), { enabled });
          output.done(set, `${id} is ${set.state}.`);
        }),
      );
  addSwitch("enable", "let a deployment have calls again", true);
  addSwitch("disable", "let a deployment have no more calls", false);

  deployments
    .command("weight")
    .description("change a deployment's part of the calls, until told otherwise")
    .argument("<id>", ID)
    .argument("<weight>", "a number from 0 on, or `configured`")
    .action(
      act(async ({ api, output }, _: object, wanted: string, given: string) => {
        const weight = readWeight(given);
        const id = await findId({ api }, wanted);
        const set = await api.send<Deployment>("PATCH", pathOf(id), { weight });
        output.done(
          set,
          `${id} ${set.weight === null ? "has the configured weight again" : `has a weight of ${set.weight}`}.`,
        );
      }),
    );

  deployments
    .command("cooldown")
    .description("let a deployment rest for a while, or end its rest")
    .argument("<id>", ID)
    .option("--seconds <n>", "how long it rests; 60 unless told", readCount)
    .addOption(new Option("--clear", "end its rest").conflicts("seconds"))
    .action(
      act(async ({ api, output }, { seconds, clear }: { seconds?: number; clear?: boolean }, wanted: string) => {
        const id = await findId({ api }, wanted);
        const body = clear ? { action: "clear" } : { action: "start", ...(seconds === undefined ? {} : { seconds }) };
        const set = await api.send<Deployment>("POST", `${pathOf(id)}/cooldown`, body);
        output.done(set, set.restsUntil === null ? `${id} is ${set.state}.` : `${id} rests until ${set.restsUntil}.`);
      }),
    );
}

/** As tables show the long ones, which are hashes. */
const SHORT_CHARS = 12;
const shortId = (id: string): string => (/^[0-9a-f]{32,}$/.test(id) ? id.slice(0, SHORT_CHARS) : id);

async function findId({ api }: Pick<Context, "api">, wanted: string): Promise<string> {
  if (wanted.length < SHORT_CHARS) return wanted;
  const deployments = await api.getAll<Deployment>("/api/admin/deployments");
  const found = [...new Set(deployments.map(({ id }) => id).filter((id) => id.startsWith(wanted)))];
  if (found.length > 1 && !found.includes(wanted)) throw usageError(`${wanted} begins ${found.length} ids.`);
  return found.includes(wanted) ? wanted : (found[0] ?? wanted);
}

const pathOf = (id: string): string => `/api/admin/deployments/${encodeURIComponent(id)}`;

const milliseconds = (value: number | null): string | null => (value === null ? null : `${value} ms`);

/** Null: as configured. */
function readWeight(text: string): number | null {
  if (text === "configured") return null;
  // In figures: 0x10 and 1e3 are slips of the pen here.
  if (/^[0-9]*\.?[0-9]+$/.test(text)) return Number(text);
  throw usageError(`${text} is not a weight.`, "Give a number from 0 on, or `configured`.");
}
