import { expect, test } from "bun:test";
import { type Frame, Link } from "../lib/link.ts";
import { ALIVE, BEGIN, LOOK_MS, OTHERS_SERVE, type Place, SERVING, Supervisor } from "./supervisor.ts";
import { BROADCAST, LinkedSiblings, SINGLE_PROCESS } from "./worker-bus.ts";

/** A worker without a process: its end of the link, and what was done to it. */
interface Fake {
  readonly number: number;
  readonly link: Link;
  readonly signals: string[];
  /** Reads nothing more. */
  hangs: boolean;
  die(code: number): void;
}

function supervised(count: number) {
  const clock = { now: 0 };
  const fakes: Fake[] = [];
  const logged: string[] = [];
  const pauses: { readonly ms: number; readonly work: () => void }[] = [];
  let looks: (() => void)[] = [];
  const left: number[] = [];
  /** While it is true no process can be started. */
  const lack = { isThere: false };
  const note = (_: object, text: string): void => void logged.push(text);
  const supervisor = new Supervisor({
    count,
    nowMs: () => clock.now,
    timers: { after: (ms, work) => cancelOf(ms === LOOK_MS ? looks.push(work) : pauses.push({ ms, work })) },
    log: { info: note, warn: note, error: note } as never,
    offer: () => () => void left.push(1),
    spawn(number, receive) {
      if (lack.isThere) throw new Error("no memory");
      const { promise, resolve } = Promise.withResolvers<number>();
      const link = new Link({ send: (frames) => receive(JSON.parse(JSON.stringify(frames)) as Frame[]) });
      link.on(ALIVE, () => null);
      const fake: Fake = { number, link, signals: [], hangs: false, die: resolve };
      fakes.push(fake);
      return {
        pid: 1000 + fakes.length,
        exited: promise,
        send: (frames) => fake.hangs || link.receive(JSON.parse(JSON.stringify(frames)) as Frame[]),
        kill: (signal) => void fake.signals.push(signal),
      };
    },
  });
  const code = supervisor.run();
  const serve = async (fake: Fake | undefined, port = 4000): Promise<Place | null | undefined> => {
    const place = await fake?.link.call<Place | null>(BEGIN, []);
    if (place) await fake?.link.call(SERVING, [port]);
    return place;
  };
  /** The workers are asked whether they live, so many times. */
  const look = async (times: number): Promise<void> => {
    for (let i = 0; i < times; i++) {
      const due = looks;
      looks = [];
      for (const work of due) work();
      await tick();
    }
  };
  return { supervisor, code, fakes, logged, pauses, left, lack, serve, clock, look };
}

const cancelOf = (_: number) => () => undefined;
const tick = (): Promise<void> => Bun.sleep(1);

test("workers begin one after the other, and the later ones are told the port of the first", async () => {
  const { fakes, serve, logged } = supervised(2);
  const [first, second] = fakes as [Fake, Fake];
  const place = await first.link.call<Place>(BEGIN, []);
  expect(place).toEqual({ port: null, workers: 2 });
  let began = false;
  const waiting = second.link.call<Place>(BEGIN, []).then((its) => {
    began = true;
    return its;
  });
  await tick();
  expect(began).toBe(false);
  await first.link.call(SERVING, [4711]);
  expect(await waiting).toEqual({ port: 4711, workers: 2 });
  expect(logged).toEqual([]);
  await second.link.call(SERVING, [4711]);
  expect(logged).toEqual(["all workers serve"]);
  expect(await serve(undefined)).toBeUndefined();
});

test("a worker that cannot begin ends the server with its code, and no other begins", async () => {
  const { fakes, code } = supervised(2);
  const [first, second] = fakes as [Fake, Fake];
  await first.link.call(BEGIN, []);
  const waiting = second.link.call(BEGIN, []);
  first.die(1);
  expect(await waiting).toBeNull();
  expect(second.signals).toEqual(["SIGTERM"]);
  second.die(143);
  expect(await code).toBe(1);
});

test("a worker that dies while others start is started again", async () => {
  const { fakes, serve, code, pauses, logged } = supervised(3);
  const [first, second, third] = fakes as [Fake, Fake, Fake];
  await serve(first);
  await second.link.call(BEGIN, []);
  const waiting = serve(third);
  first.die(137);
  second.die(1);
  expect(await waiting).toEqual({ port: 4000, workers: 3 });
  await tick();
  for (const { work } of [...pauses]) work();
  expect(fakes.map(({ number }) => number)).toEqual([1, 2, 3, 1, 2]);
  for (const fake of fakes.slice(3)) expect(await serve(fake)).toEqual({ port: 4000, workers: 3 });
  expect(logged.at(-1)).toBe("all workers serve");
  expect(third.signals).toEqual([]);
  expect(await Promise.race([code, tick()])).toBeUndefined();
});

test("a worker that is killed before any serves is started again, and the next one is the first", async () => {
  const { fakes, serve, code, pauses } = supervised(2);
  const [first, second] = fakes as [Fake, Fake];
  await first.link.call(BEGIN, []);
  const waiting = serve(second);
  first.die(137);
  expect(await waiting).toEqual({ port: null, workers: 2 });
  pauses[0]?.work();
  expect(await serve(fakes[2])).toEqual({ port: 4000, workers: 2 });
  expect(await Promise.race([code, tick()])).toBeUndefined();
});

test("a server whose only worker is killed again and again before it serves ends", async () => {
  const { fakes, code, pauses } = supervised(1);
  for (let kills = 0; kills < 4; kills++) {
    fakes.at(-1)?.die(137);
    await tick();
    pauses[kills]?.work();
  }
  expect([fakes.length, await code]).toEqual([4, 137]);
});

test("a worker that ends is started again, after longer and longer pauses while it fails", async () => {
  const { fakes, serve, pauses, clock, left } = supervised(1);
  await serve(fakes[0]);
  for (let i = 0; i < 12; i++) {
    fakes.at(-1)?.die(137);
    await tick();
    pauses.at(-1)?.work();
  }
  expect(pauses.map(({ ms }) => ms)).toEqual([100, 200, 400, 800, 1600, 3200, 6400, 12800, 25600, 30000, 30000, 30000]);
  expect(left).toHaveLength(12);
  // One that has served for a while begins from the start again.
  await serve(fakes.at(-1));
  clock.now += 60_000;
  fakes.at(-1)?.die(137);
  await tick();
  expect(pauses.at(-1)?.ms).toBe(100);
});

test("a worker that does not answer any more is ended, and so started again; one that does after all is not", async () => {
  const { fakes, serve, look, logged, pauses } = supervised(2);
  for (const fake of fakes) await serve(fake);
  const [first, second] = fakes as [Fake, Fake];
  await look(20);
  first.hangs = true;
  await look(2);
  first.hangs = false;
  await look(1);
  first.hangs = true;
  await look(3);
  expect(first.signals).toEqual([]);
  await look(1);
  expect([first.signals, second.signals]).toEqual([["SIGKILL"], []]);
  expect(logged.at(-1)).toBe("a worker does not answer any more; ending it");
  first.die(137);
  await tick();
  expect(pauses).toHaveLength(1);
});

test("a worker that stands still while it begins is ended as well: no other could begin", async () => {
  const { fakes, serve, look, pauses } = supervised(2);
  for (const fake of fakes) await serve(fake);
  for (const fake of fakes.slice(0, 2)) fake.die(137);
  await tick();
  for (const { work } of [...pauses]) work();
  const [third, fourth] = fakes.slice(2) as [Fake, Fake];
  await third.link.call(BEGIN, []);
  third.hangs = true;
  const waiting = serve(fourth);
  await look(4);
  expect([third.signals, fourth.signals]).toEqual([["SIGKILL"], []]);
  third.die(137);
  expect(await waiting).toEqual({ port: 4000, workers: 2 });
});

test("what a worker said last is not done for it any more when it is gone", async () => {
  const { fakes, serve } = supervised(2);
  for (const fake of fakes) await serve(fake);
  const [first, second] = fakes as [Fake, Fake];
  const heard: string[] = [];
  second.link.on("word", (word: string) => heard.push(word));
  first.die(137);
  await tick();
  void first.link.call(BROADCAST, ["word", ["late"]]);
  await tick();
  expect(heard).toEqual([]);
});

test("signals go to all workers, and the end waits for the last of them", async () => {
  const { supervisor, fakes, serve, code, pauses } = supervised(2);
  for (const fake of fakes) await serve(fake);
  supervisor.signal("SIGHUP");
  supervisor.signal("SIGTERM");
  expect(fakes.map(({ signals }) => signals)).toEqual([
    ["SIGHUP", "SIGTERM"],
    ["SIGHUP", "SIGTERM"],
  ]);
  let ended = false;
  void code.then(() => {
    ended = true;
  });
  fakes[0]?.die(0);
  await tick();
  expect([ended, pauses.length]).toEqual([false, 0]);
  fakes[1]?.die(0);
  expect(await code).toBe(0);
});

test("a worker that is stopped while it begins again has not failed", async () => {
  const { supervisor, fakes, serve, code, pauses } = supervised(2);
  for (const fake of fakes) await serve(fake);
  fakes[1]?.die(137);
  await tick();
  pauses.at(-1)?.work();
  supervisor.signal("SIGTERM");
  fakes[2]?.die(143);
  fakes[0]?.die(0);
  expect(await code).toBe(0);
});

test("a worker that begins is told to read the configuration again once it serves", async () => {
  const { supervisor, fakes, serve } = supervised(2);
  const [first, second] = fakes as [Fake, Fake];
  await serve(first);
  supervisor.signal("SIGHUP");
  expect([first.signals, second.signals]).toEqual([["SIGHUP"], []]);
  await serve(second);
  expect([first.signals, second.signals]).toEqual([["SIGHUP"], ["SIGHUP"]]);
});

test("others serve for a worker that begins again, as long as one of them does; for one that begins first, nobody", async () => {
  const { fakes, serve, pauses } = supervised(2);
  const asked = (fake: Fake | undefined) => fake?.link.call<boolean>(OTHERS_SERVE, []);
  await serve(fakes[0]);
  expect(await asked(fakes[1])).toBe(false);
  await serve(fakes[1]);
  fakes[0]?.die(137);
  await tick();
  pauses.at(-1)?.work();
  expect(await asked(fakes[2])).toBe(true);
  fakes[1]?.die(137);
  await tick();
  expect(await asked(fakes[2])).toBe(false);
});

test("what is done everywhere is done in all workers once, and told means that it was", async () => {
  const { fakes, serve } = supervised(3);
  const workerBus = fakes.map(({ link }) => new LinkedSiblings(link));
  const counters = workerBus.map((one) => {
    const counter = {
      sum: 0,
      async add({ by }: { readonly by: number; readonly secret?: bigint }): Promise<void> {
        await tick();
        this.sum += by;
      },
    };
    one.broadcastMethod("add", counter, "add", ({ by }) => [{ by }]);
    return counter;
  });
  for (const fake of fakes) await serve(fake);
  const [first, second] = counters as [(typeof counters)[0], (typeof counters)[0]];
  await first.add({ by: 2, secret: 1n });
  await workerBus[0]?.told();
  expect(counters.map(({ sum }) => sum)).toEqual([2, 2, 2]);
  await second.add({ by: 3 });
  await workerBus[1]?.told();
  expect(counters.map(({ sum }) => sum)).toEqual([5, 5, 5]);
});

test("what the others give is collected; one that fails is left out, and a process alone has nobody to ask", async () => {
  const { fakes, serve } = supervised(3);
  const workerBus = fakes.map(({ link }) => new LinkedSiblings(link));
  workerBus[1]?.give("size", () => 2);
  workerBus[2]?.give("size", () => {
    throw new Error("no");
  });
  for (const fake of fakes) await serve(fake);
  expect(await workerBus[0]?.collect<number>("size")).toEqual([2]);
  expect(await SINGLE_PROCESS.collect("size")).toEqual([]);
});

test("a worker that cannot be started is tried again, later each time, until it is there", async () => {
  const { fakes, serve, logged, pauses, lack } = supervised(2);
  for (const fake of [...fakes]) await serve(fake);
  lack.isThere = true;
  fakes[0]?.die(137);
  await tick();
  for (let at = 0; at < 3; at++) pauses[at]?.work();
  expect(pauses.map(({ ms }) => ms)).toEqual([100, 200, 400, 800]);
  expect(logged.at(-1)).toBe("a worker cannot be started; trying again");
  lack.isThere = false;
  pauses[3]?.work();
  await serve(fakes[2]);
  expect(logged.at(-1)).toBe("a worker is back");
});
