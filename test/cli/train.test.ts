import { afterAll, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { existsSync, lstatSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createRawServer } from "node:net";
import { dirname, join } from "node:path";
import { ALLOWED } from "../training/hosted.ts";
import { modelOf, startSmall } from "../training/small-participants.ts";
import { Person, startPlace } from "./command-line.ts";

const person = new Person("http://127.0.0.1:1");
const participants = await Promise.all(["north", "south"].map((id, at) => startSmall(id, at)));
afterAll(async () => {
  await Promise.all(participants.map((one) => one.stop()));
  person.remove();
});
const plan = (name: string, text: string) => writeFileSync(join(person.home, name), text);

writeFileSync(join(person.home, "endless.safetensors"), modelOf([1, Number.POSITIVE_INFINITY, 3]));

test("train run shows every round, and leaves the model and a report", async () => {
  const lines = participants.map(({ id, url }) => `  - { id: ${id}, url: "${url}" }`).join("\n");
  plan("plan.yaml", `name: weather\nrounds: 3\nparticipants:\n${lines}\n`);
  const { code, out, err } = await person.run(["train", "run", "plan.yaml"]);
  expect(code).toBe(0);
  const [begin, ...told] = err.trim().split("\n");
  expect(begin).toBe("weather: 3 rounds; 2 of 2 participants are asked, for 600 seconds at most");
  expect(told).toHaveLength(3);
  expect(err).toContain("[########################] round 3 of 3  accuracy ");
  expect(out).toContain("weather.run/models/");
  const report = readFileSync(join(person.home, "weather.run/report.html"), "utf8");
  expect(report).toContain("<svg");
  expect(report).toContain("3 of 3 rounds");
});

test("train run tells who did not evaluate, and why", async () => {
  const mute = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: ({ url }) =>
      url.endsWith("/evaluate") ? new Response("no rows", { status: 404 }) : new Response(modelOf([1, 2, 3])),
  });
  plan("mute.yaml", `name: mute\nrounds: 1\nparticipants: [{ id: mute, url: "http://127.0.0.1:${mute.port}" }]\n`);
  const { code, out, err } = await person.run(["train", "run", "mute.yaml"]);
  await mute.stop(true);
  expect(code).toBe(0);
  expect(err).toContain("1 of 1 answered  1 did not evaluate (mute: it answered 404: no rows)");
  expect(out).toContain("not evaluated by mute: it answered 404: no rows");
});

test.each([
  ["--detach", "option '--detach' needs '--server'"],
  ["--server --folder here", "option '--folder <folder>' and '--server' exclude each other"],
])("an option that a run in this place does not have is refused: %s", async (options, words) => {
  const { code, out, err } = await person.run(["train", "run", "plan.yaml", ...options.split(" ")]);
  expect([code, out]).toEqual([2, ""]);
  expect(err).toContain(words);
});

test.each(["bogus", "watch r --bogus", "run plan.yaml --server --bogus"])(
  "train %s is a usage error like any other",
  async (words) => {
    const { code, err } = await person.run(["train", ...words.split(" "), "--json"]);
    expect([code, JSON.parse(err).code]).toEqual([2, "USAGE_ERROR"]);
  },
);

test("a folder that cannot be written is told in one line", async () => {
  const [one] = participants;
  plan("kept.yaml", `name: kept\nrounds: 1\nparticipants: [{ id: north, url: "${one?.url}" }]\n`);
  plan("a-file", "");
  const { code, err } = await person.run(["train", "run", "kept.yaml", "--folder", "a-file/run", "--json"]);
  expect(code).toBe(1);
  expect(JSON.parse(err).error).toContain("a-file/run cannot be kept: ");
});

test("a plan's name is no path out of the folder", async () => {
  const [one] = participants;
  plan("out.yaml", `name: ../../out\nrounds: 1\nparticipants: [{ id: north, url: "${one?.url}" }]\n`);
  const { code, out } = await person.run(["train", "run", "out.yaml", "--json"]);
  expect(code).toBe(0);
  expect(dirname(dirname(JSON.parse(out).report))).toBe(realpathSync(person.home));
});

test("a plan is run again from another model, though participants remember the first run", async () => {
  const lines = participants.map(({ id, url }) => `  - { id: ${id}, url: "${url}" }`).join("\n");
  plan("again.yaml", `name: again\nrounds: 1\nretries: 0\ninitial: begin\nparticipants:\n${lines}\n`);
  for (const [at, values] of [
    [1, 2, 3],
    [4, 4, 4],
  ].entries()) {
    writeFileSync(join(person.home, "begin"), modelOf(values));
    expect(await person.run(["train", "run", "again.yaml", "--folder", `again-${at}`])).toMatchObject({ code: 0 });
  }
});

test("a paused run goes on when its plan says where participants are now, or waits longer for them", async () => {
  const [one, other] = participants;
  const text = (url: string, more = "") =>
    `name: moved\nrounds: 1\n${more}participants: [{ id: a, url: "${one?.url}" }, { id: b, url: "${url}" }]\n`;
  plan("moved.yaml", text("http://127.0.0.1:1", "retries: 0\n"));
  const first = await person.run(["train", "run", "moved.yaml"]);
  expect(first.code).toBe(1);
  expect(first.out).toContain("(b: nothing answers at http://127.0.0.1:1)");
  plan("moved.yaml", text(other?.url ?? "", "deadline_seconds: 900\nretries: 3\n"));
  const second = await person.run(["train", "run", "moved.yaml"]);
  expect(second).toMatchObject({ code: 0, err: expect.stringContaining("2 of 2 answered") });
  plan("moved.yaml", text(other?.url ?? "", "max_examples: 1\n"));
  const third = await person.run(["train", "run", "moved.yaml"]);
  expect(third.err).toContain("moved.run holds a run of another plan");
  expect(third.err).toContain("--folder");
});

test("a run that is at its end is not said to go on", async () => {
  const [one] = participants;
  const stopping = `name: enough\nrounds: 9\nstop_at: -1000\nparticipants: [{ id: a, url: "${one?.url}" }]\n`;
  plan("enough.yaml", stopping);
  plan("whole.yaml", stopping.replace("enough", "whole").replace("9", "1").replace("stop_at: -1000\n", ""));
  for (const file of ["enough.yaml", "whole.yaml"]) {
    await person.run(["train", "run", file]);
    const { err, out } = await person.run(["train", "run", file]);
    expect(err).toEndWith(`1 of ${file === "whole.yaml" ? 1 : 9} rounds are done; it is at its end\n`);
    expect(out).toContain("model ");
  }
});

test.each([
  ["a plan that is not there", "absent.yaml", null, "There is no file absent.yaml."],
  [
    "a plan with faults, all of them",
    "faults.yaml",
    "rounds: 0\nparticipants: []\n",
    "participants is not a list of one or more; rounds is not",
  ],
  [
    "a plan whose first model is not there",
    "begin.yaml",
    'initial: absent.safetensors\nparticipants: [{ url: "http://127.0.0.1:1" }]\n',
    "absent.safetensors, and there is no such file",
  ],
  ["a plan that is no YAML", "broken.yaml", "a: [", "cannot be read"],
  [
    "a first model that is none",
    "none.yaml",
    'initial: none.yaml\nparticipants: [{ url: "http://127.0.0.1:1" }]\n',
    "none.yaml, and the parameters are neither safetensors nor npy nor npz",
  ],
  [
    "a first model with numbers that are none",
    "endless.yaml",
    'initial: endless.safetensors\nparticipants: [{ url: "http://127.0.0.1:1" }]\n',
    "endless.safetensors, and not all of its numbers are finite",
  ],
  [
    "another plan than the folder has",
    "other.yaml",
    'name: weather\nrounds: 4\nparticipants: [{ url: "http://127.0.0.1:1" }]\n',
    "weather.run holds a run of another plan",
  ],
  [
    "a first model that is a folder",
    "folder.yaml",
    'initial: .\nparticipants: [{ url: "http://127.0.0.1:1" }]\n',
    "and it cannot be read: EISDIR",
  ],
  [
    "a name that no folder can have, and an address that is none",
    "nameless.yaml",
    'name: "a\\0b"\nparticipants: [{ url: "http://a b" }]\n',
    "participants[0].url is not an address; name is not a text of 1 to 100 characters, in one line",
  ],
  [
    "a plan whose token is nowhere",
    "tokenless.yaml",
    'participants: [{ id: north, url: "http://127.0.0.1:1", token_env: NORTH_TOKEN }]',
    "NORTH_TOKEN, which has the token of north",
  ],
])("train run refuses %s", async (_, file, text, words) => {
  if (text !== null) plan(file, text);
  const { code, err } = await person.run(["train", "run", file]);
  expect(code).toBe(2);
  expect(err).toContain(words);
});

test("a folder has one run at a time, and whoever comes second is told who holds it", async () => {
  let begun = () => {};
  let end = () => {};
  const beginning = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const ending = new Promise<void>((resolve) => {
    end = resolve;
  });
  const slow = await startSmall("slow", 0, async () => {
    begun();
    await ending;
    return modelOf([1, 2, 3]);
  });
  plan("slow.yaml", `name: slow\nrounds: 1\nparticipants: [{ id: slow, url: "${slow.url}" }]\n`);
  const first = person.start(["train", "run", "slow.yaml"]);
  await beginning;
  const second = await person.run(["train", "run", "slow.yaml"]);
  expect(second.code).toBe(1);
  expect(second.err).toContain(`is being carried out by another process (pid ${first.pid})`);
  end();
  expect(await first.exited).toBe(0);
  expect((await person.run(["train", "run", "slow.yaml"])).code).toBe(0);
  await slow.stop();
}, 60_000);

test("train watch waits for a server that is started again, and goes on where it was", async () => {
  const asked: string[] = [];
  const event = (id: number, name: string, data: object) =>
    `id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
  const round = (at: number) =>
    event(at + 1, "round", { round: at, accuracy: 0.5, replies: [], dropped: [], warning: null, ...failuresOf(at) });
  const failuresOf = (at: number) =>
    at === 1 ? {} : { evaluationFailures: [{ participant: "north", reason: "no\u001brows" }] };
  const server = createServer(({ url = "", headers }, response) => {
    const json = (status: number, body: object) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(body));
    };
    if (!url.endsWith("/events"))
      return json(200, { id: "r", rounds: 2, roundsDone: 2, status: "completed", reason: null });
    asked.push(String(headers["last-event-id"]));
    // A stream has had its time, the next one breaks off, then the server is about to end, then it is back. What a stream says
    // right before it breaks off may be lost on the way, so this one says nothing.
    if (asked.length === 1) response.end(event(1, "status", { status: "running" }) + round(1));
    else if (asked.length === 2) response.write(": still here\n\n", () => response.destroy());
    else if (asked.length === 3) json(503, { error: "The server is stopping.", code: "SERVER_ERROR" });
    else response.end(round(2) + event(4, "status", { status: "completed" }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const env = { TURNPIKE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, TURNPIKE_TOKEN: "sk-x" };
    const { code, err } = await person.run(["train", "watch", "r"], { env });
    expect(err.trim().split("\n")).toEqual([
      "round 1 of 2  accuracy 0.5000  0 of 0 answered",
      "The server cannot be reached; waiting for it to come back.",
      "round 2 of 2  accuracy 0.5000  0 of 0 answered  1 did not evaluate (north: no rows)",
    ]);
    expect([code, asked]).toEqual([0, ["0", "2", "2", "2"]]);
  } finally {
    server.close();
  }
}, 60_000);

test("a plan with more participants than a server takes in a minute is registered to the end", async () => {
  const named: string[] = [];
  let refusals = 0;
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname === "/api/training/runs") return Response.json({ id: "r", status: "queued" }, { status: 201 });
      if (request.method === "GET")
        return Response.json({ data: [], meta: { page: 1, pageSize: 100, total: 0, totalPages: 0 } });
      if (named.length === 2 && refusals < 2)
        return Response.json(
          { error: "More than 2 changes in a minute.", code: "FORBIDDEN" },
          { status: [429, 503][refusals++] ?? 500, headers: { "retry-after": "0" } },
        );
      named.push(((await request.json()) as { name: string }).name);
      return Response.json({}, { status: 201 });
    },
  });
  try {
    const ids = ["a", "b", "c"];
    plan("many.yaml", JSON.stringify({ participants: ids.map((id) => ({ id, url: `http://${id}.test` })) }));
    const env = { TURNPIKE_URL: `http://127.0.0.1:${server.port}`, TURNPIKE_TOKEN: "sk-x" };
    const { code, err } = await person.run(["train", "run", "many.yaml", "--server", "--detach"], { env });
    expect([code, named]).toEqual([0, ids]);
    const waited = "The server takes no more for now; going on in 0 seconds.\n";
    expect(err).toContain(`b is registered.\n${waited}${waited}c is registered.`);
  } finally {
    server.stop(true);
  }
}, 60_000);

test("a participant of a plan whose address the server refuses is named", async () => {
  const place = await startPlace();
  try {
    const ann = place.person();
    await ann.signUp("ann@example.com");
    const text = JSON.stringify({ participants: [{ id: "north", url: "ftp://north.test" }] });
    writeFileSync(join(ann.home, "wrong.yaml"), text);
    const { code, err } = await ann.run(["train", "run", "wrong.yaml", "--server", "--detach"]);
    expect([code, err]).toEqual([2, expect.stringContaining("The participant north cannot be registered: url: ")]);
    expect(err).toContain("ftp://north.test");
  } finally {
    await place.close();
  }
}, 60_000);

test.each([
  ["breaks off", 5_000, "model.old", 7, "cannot be reached"],
  ["is not what the server says", 4, "model.old", 7, "the server speaks of"],
  ["has no place", 4, "nowhere/model.old", 2, "cannot be written"],
])("a model whose download %s leaves what was there", async (_, length, name, exit, words) => {
  const answer = `HTTP/1.1 200 OK\r\netag: "${"a".repeat(64)}"\r\ncontent-length: ${length}\r\n\r\nhalf`;
  const server = createRawServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => socket.end(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    writeFileSync(join(person.home, "model.old"), "the one before");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const args = ["train", "model", "r", "--out", name, "--url", url];
    const { code, err } = await person.run(args, { env: { TURNPIKE_TOKEN: "x" } });
    expect([code, err]).toEqual([exit, expect.stringContaining(words)]);
    expect(readFileSync(join(person.home, "model.old"), "utf8")).toBe("the one before");
    expect(existsSync(join(person.home, "model.old.part"))).toBe(false);
  } finally {
    server.close();
  }
});

test.each([
  ["a weak tag of a proxy", `W/"${createHash("sha256").update("half").digest("hex")}"`],
  ["a proxy's own tag", '"5f3-62a"'],
])("a model that comes with %s is taken, and a link to a file stays one", async (_, etag) => {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => new Response("half", { headers: { etag } }),
  });
  try {
    const [file, link] = [join(person.home, "behind.bin"), join(person.home, "link.bin")];
    writeFileSync(file, "the one before, which was longer");
    rmSync(link, { force: true });
    symlinkSync(file, link);
    const args = ["train", "model", "r", "--out", "link.bin", "--url", `http://127.0.0.1:${server.port}`];
    const { code, err } = await person.run(args, { env: { TURNPIKE_TOKEN: "x" } });
    expect([code, err]).toEqual([0, expect.any(String)]);
    expect([lstatSync(link).isSymbolicLink(), readFileSync(file, "utf8")]).toEqual([true, "half"]);
  } finally {
    await server.stop(true);
  }
});

test("a server carries the same plan out, and everything about it is seen and done with the command line", async () => {
  const place = await startPlace({}, ALLOWED);
  try {
    const ida = place.person();
    await ida.signUp("ida@example.com");
    const lines = participants.map(({ id, url }) => `  - { id: ${id}, url: "${url}", token_env: A_TOKEN }`).join("\n");
    writeFileSync(join(ida.home, "plan.yaml"), `name: weather\nrounds: 3\nparticipants:\n${lines}\n`);
    const missing = await ida.run(["train", "run", "plan.yaml", "--server"]);
    expect([missing.code, missing.err]).toEqual([2, expect.stringContaining("A_TOKEN is not set")]);
    const run = await ida.run(["train", "run", "plan.yaml", "--server"], { env: { A_TOKEN: "nobody-asks-for-it" } });
    expect([run.code, run.err]).toEqual([0, expect.stringContaining("round 3 of 3  accuracy ")]);
    expect(run.out).toMatch(/Status +completed/);
    const { data } = await ida.json<{ data: { id: string; name: string }[] }>([
      "train",
      "list",
      "--status",
      "completed",
    ]);
    const [{ id = "" } = {}] = data;
    expect((await ida.run(["train", "show", id])).out).toMatch(/Name +weather\nStatus +completed/);
    expect((await ida.run(["train", "rounds", id])).out.trim().split("\n")).toHaveLength(3);
    const { sha256 } = await ida.json<{ sha256: string }>(["train", "model", id, "--out", "model.safetensors"]);
    const bytes = readFileSync(join(ida.home, "model.safetensors"));
    expect(sha256).toBe(createHash("sha256").update(bytes).digest("hex"));
    expect((await ida.run(["train", "report", id, "--out", "report.html"])).code).toBe(0);
    expect(readFileSync(join(ida.home, "report.html"), "utf8")).toContain("3 of 3 rounds");

    expect((await ida.run(["train", "participants", "list"])).out).toMatch(/\tnorth\t\S+\tkept\t-\n.*\tsouth\t/);
    expect((await ida.run(["train", "participants", "probe", "north"])).out).toMatch(/Well +yes \(north\)/);
    writeFileSync(join(ida.home, "moved.yaml"), 'participants: [{ id: north, url: "http://127.0.0.1:1" }]\n');
    const moved = await ida.run(["train", "run", "moved.yaml", "--server"]);
    expect([moved.code, moved.err]).toEqual([2, expect.stringContaining("train participants update north --address")]);
    await ida.run(["train", "participants", "add", "gone", "http://127.0.0.1:1"]);
    const unwell = await ida.run(["train", "participants", "probe", "gone"]);
    expect([unwell.code, unwell.err]).toEqual([1, expect.stringContaining("gone is not well")]);

    writeFileSync(join(ida.home, "stuck.yaml"), "name: stuck\nretries: 0\nparticipants: [gone]\n");
    const stuck = await ida.run(["train", "run", "stuck.yaml", "--server"]);
    expect([stuck.code, stuck.err]).toEqual([1, expect.stringContaining("The run is paused.")]);
    expect(stuck.out).toContain("did not reach its quorum of 1");
    const [, other = ""] = /Run +(\S+)/.exec(stuck.out) ?? [];
    expect((await ida.run(["train", "resume", other])).err).toBe("The run goes on.\n");
    expect((await ida.run(["train", "cancel", other, "--yes"])).err).toBe("The run is cancelled.\n");
    expect((await ida.run(["train", "pause", other])).code).toBe(1);
    expect((await ida.run(["train", "show", other, "--quiet"])).out).toBe("cancelled\n");
    expect((await ida.run(["train", "participants", "remove", "gone", "--yes"])).code).toBe(0);
    expect((await ida.run(["train", "delete", id, "--yes"])).err).toBe("The run is deleted.\n");
    expect((await ida.run(["train", "show", id])).code).toBe(5);
    expect((await ida.run(["train", "strategies"])).out).toContain("multi_krum\t5\tf keep\t");
  } finally {
    await place.close();
  }
}, 120_000);
