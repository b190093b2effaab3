import type { Command } from "commander";
import type { Page } from "./api.ts";
import { usageError } from "./cli-error.ts";
import { type Act, type PageFlags, pageQuery, readCount, withPages } from "./context.ts";

interface Deployment {
  readonly id: string;
  readonly group: string;
  readonly provider: string;
  readonly model: string;
  readonly strategy: string;
  readonly state: string;
  readonly weight: number | null;
  readonly share: number;
  readonly inFlight: number;
  readonly streamFirstByteMs: number | null;
  readonly plainFirstByteMs: number | null;
  readonly calls: number;
  readonly failures: number;
  readonly restsUntil: string | null;
}

/** Deployments as they run: state, load and latency, and what an operator can do about them. */
export function addAdminDeployments(admin: Command, act: Act): void {
  const deployments = admin.command("deployments").description("deployments as they run: state, load, weight, rest");

  withPages(deployments.command("list").description("list deployments with their state"))
    .option("--group <name>", "only those of one group")
    .option("--state <state>", "well, off, resting, probing or unwell")
    .action(
      act(async ({ api, output }, flags: PageFlags & { group?: string; state?: string }) => {
        const query = { ...pageQuery(flags), group: flags.group, state: flags.state };
        output.list(await api.get<Page<Deployment>>("/api/admin/deployments", query), {
          ID: ({ id }) => id,
          GROUP: ({ group }) => group,
          MODEL: ({ provider, model }) => `${provider}/${model}`,
          STATE: ({ state, restsUntil }) => (restsUntil === null ? state : `${state} until ${restsUntil}`),
          SHARE: ({ share }) => share,
          "IN FLIGHT": ({ inFlight }) => inFlight,
          CALLS: ({ calls }) => calls,
          FAILED: ({ failures }) => failures,
          "FIRST BYTE": (one) => milliseconds(one.streamFirstByteMs ?? one.plainFirstByteMs),
        });
      }),
    );

  const addSwitch = (verb: string, what: string, enabled: boolean) =>
    deployments
      .command(verb)
      .description(what)
      .argument("<id>")
      .action(
        act(async ({ api, output }, _: object, id: string) => {
          const set = await api.send<Deployment>("PATCH", pathOf(id), { enabled });
          output.done(set, `${id} is ${set.state}.`);
        }),
      );
  addSwitch("enable", "let a deployment have calls again", true);
  addSwitch("disable", "let a deployment have no more calls", false);

  deployments
    .command("weight")
    .description("change a deployment's part of the calls, until told otherwise")
    .argument("<id>")
    .argument("<weight>", "a number from 0 on, or `configured`")
    .action(
      act(async ({ api, output }, _: object, id: string, weight: string) => {
        const set = await api.send<Deployment>("PATCH", pathOf(id), { weight: readWeight(weight) });
        output.done(set, `${id} has a weight of ${set.weight ?? "what is configured"}.`);
      }),
    );

  deployments
    .command("cooldown")
    .description("let a deployment rest for a while, or end its rest")
    .argument("<id>")
    .option("--seconds <n>", "how long it rests", readCount)
    .option("--clear", "end its rest")
    .action(
      act(async ({ api, output }, { seconds, clear }: { seconds?: number; clear?: boolean }, id: string) => {
        const body = clear ? { action: "clear" } : { action: "start", ...(seconds === undefined ? {} : { seconds }) };
        const set = await api.send<Deployment>("POST", `${pathOf(id)}/cooldown`, body);
        output.done(set, set.restsUntil === null ? `${id} is ${set.state}.` : `${id} rests until ${set.restsUntil}.`);
      }),
    );
}

const pathOf = (id: string): string => `/api/admin/deployments/${encodeURIComponent(id)}`;

const milliseconds = (value: number | null): string | null => (value === null ? null : `${value} ms`);

/** Null: as configured. */
function readWeight(text: string): number | null {
  if (text === "configured") return null;
  const value = Number(text);
  if (text.trim() !== "" && Number.isFinite(value) && value >= 0) return value;
  throw usageError(`${text} is not a weight.`, "Give a number from 0 on, or `configured`.");
}
