import type { Running } from "./contenders/contender.ts";
import type { Planned } from "./load/drive.ts";
import { type Workload, workloadOf } from "./workloads.ts";

/** The next number for varied calls: no number is used twice in a run. */
let varied = 0;

/** Builds the requests of a workload for a contender, in the order in which they are sent. */
export function plannedOf(running: Running, workload: Workload): Planned[] {
  if (workload.mix !== undefined) return mixed(running, workload.mix);
  const text = workload.body(running.model(workload.dialect));
  if (workload.vary !== undefined) {
    const begun = varied;
    varied += workload.vary;
    return Array.from({ length: workload.vary }, (_, index) =>
      planned(running, workload, text.replace("NUMBER", String(begun + index).padStart(9, "0"))),
    );
  }
  if (workload.keys === undefined) return [planned(running, workload, text)];
  const keys = (running.keys ?? []).slice(0, workload.keys);
  return keys.map((key) => planned(running, workload, text, { "x-gw-api-key": key }));
}

/** Mixes the calls of several workloads so that each kind is spread evenly. */
function mixed(running: Running, shares: Readonly<Record<string, number>>): Planned[] {
  return Object.entries(shares)
    .flatMap(([name, share]) => {
      const [one] = plannedOf(running, workloadOf(name));
      return Array.from({ length: one ? share : 0 }, (_, index) => ({ at: (index + 0.5) / share, one }));
    })
    .toSorted((a, b) => a.at - b.at)
    .flatMap(({ one }) => one ?? []);
}

function planned(
  running: Running,
  { path, dialect, check }: Workload,
  body: string,
  more: Readonly<Record<string, string>> = {},
): Planned {
  const headers = {
    host: `127.0.0.1:${running.port}`,
    ...running.headers(dialect),
    "content-type": "application/json",
    ...more,
  };
  const lines = Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");
  return { text: `POST ${path} HTTP/1.1\r\n${lines}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`, check };
}
