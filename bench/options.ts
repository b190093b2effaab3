import { parseArgs } from "node:util";

export const USAGE = `npm run bench -- [options]

  --rounds N            rounds that count (3)
  --warm-up N           whole rounds before them: the runtime compiles for some 30,000 calls (3)
  --share N             part of each workload's calls and of a round's time; 0.2 is a quick look (1)
  --only a,b            workloads by name
  --contenders a,b      direct, floor, least, nginx, turnpike, turnpike-bare, turnpike-workers,
                        turnpike-plain, turnpike-routed, turnpike-guarded
  --peers a,b           portkey, litellm: installed by name into a scratch folder, reported as absent where they cannot be had
  --peer NAME=URL       any other gateway that runs on this machine; again for more
  --peer-model NAME     the model that peers of yours are asked for (bench)
  --peer-header 'a: b'  a header for peers of yours; again for more
  --peer-pid N          the process of a peer of yours, so that its time can be told
  --json FILE           everything that was measured
  --svg FILE            a picture of it`;

/** The options of a run; null where help was asked for. */
export function readOptions(args: string[]) {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: "string", default: "3" },
      "warm-up": { type: "string", default: "3" },
      share: { type: "string", default: "1" },
      only: { type: "string", default: "" },
      contenders: { type: "string", default: "direct,floor,nginx,turnpike,turnpike-bare" },
      peers: { type: "string", default: "" },
      peer: { type: "string", multiple: true, default: [] },
      "peer-model": { type: "string", default: "bench" },
      "peer-header": { type: "string", multiple: true, default: [] },
      "peer-pid": { type: "string" },
      json: { type: "string" },
      svg: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return null;
  const list = (text: string) => text.split(",").filter((name) => name !== "");
  return {
    rounds: positive("--rounds", values.rounds),
    warmUp: positive("--warm-up", values["warm-up"]),
    share: positive("--share", values.share),
    only: list(values.only),
    contenders: list(values.contenders),
    peers: list(values.peers),
    others: values.peer.map((text) => {
      const [name = "", ...address] = text.split("=");
      if (name === "" || !URL.canParse(address.join("="))) throw new Error(`--peer wants NAME=URL, not ${text}`);
      return { name, address: address.join("=") };
    }),
    peerModel: values["peer-model"],
    peerHeaders: Object.fromEntries(values["peer-header"].map(headerOf)),
    peerPid: values["peer-pid"] === undefined ? null : positive("--peer-pid", values["peer-pid"]),
    json: values.json ?? null,
    svg: values.svg ?? null,
  };
}

function positive(name: string, text: string): number {
  const number = Number(text);
  if (Number.isFinite(number) && number > 0) return number;
  throw new Error(`${name} wants a number above zero, not ${text}`);
}

function headerOf(text: string): [string, string] {
  const colon = text.indexOf(":");
  if (colon < 1) throw new Error(`--peer-header wants 'name: value', not ${text}`);
  return [text.slice(0, colon).trim().toLowerCase(), text.slice(colon + 1).trim()];
}
