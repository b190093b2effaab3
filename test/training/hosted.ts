import { newPerson, type Person } from "../accounts/people.ts";
import type { TestApp } from "../app.ts";

export const ALLOWED = "general_settings:\n  training: {allow_private_participants: true}\n";
export const RUNS = "/api/training/runs";

export interface SeenRun {
  readonly id: string;
  readonly status: string;
  readonly reason: string | null;
  readonly rounds: number;
  readonly roundsDone: number;
}

/** Somebody whose organization has registered these participants. */
export async function personWith(app: TestApp, participants: readonly { id: string; url: string }[]): Promise<Person> {
  const person = await newPerson(app);
  for (const { id, url } of participants) {
    const made = await person.send("POST", "/api/training/participants", { name: id, url });
    if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  }
  return person;
}

export async function startRun(person: Person, plan: object | string, more: object = {}): Promise<SeenRun> {
  const { status, body } = await person.send("POST", RUNS, { plan, ...more });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body as SeenRun;
}

export const runOf = async (person: Person, id: string): Promise<SeenRun> =>
  (await person.send("GET", `${RUNS}/${id}`)).body as SeenRun;

/** Ticks, as a server does every second, until the run is as it is wanted. */
export async function until(
  app: Pick<TestApp, "service">,
  person: Person,
  id: string,
  isReached: (run: SeenRun) => boolean,
): Promise<SeenRun> {
  for (;;) {
    await app.service.training.tick();
    const run = await runOf(person, id);
    if (isReached(run)) return run;
    await Bun.sleep(50);
  }
}

export const isOver = ({ status }: SeenRun): boolean => status !== "queued" && status !== "running";
