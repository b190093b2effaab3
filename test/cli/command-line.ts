import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { newFolder, PROGRAM, startTurnpike, type Turnpike } from "../e2e/process.ts";

export const ADMIN = { email: "root@example.com", password: "the first of all" };
export const PASSWORD = "a good long one";

export interface Result {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

interface Options {
  readonly stdin?: string;
  readonly env?: Record<string, string>;
}

/** Somebody at a machine of their own: a home folder, and the command line against one server. */
export class Person {
  private readonly folder = newFolder();
  readonly home = this.folder.path;

  constructor(private readonly url: string) {}

  /** A command that is still under way. */
  start(args: readonly string[], { stdin = "", env = {} }: Options = {}) {
    return Bun.spawn([...PROGRAM, ...args], {
      cwd: this.home,
      env: { PATH: process.env.PATH ?? "", HOME: this.home, TURNPIKE_URL: this.url, ...env },
      stdin: new Blob([stdin]),
      stdout: "pipe",
      stderr: "pipe",
    });
  }

  async run(args: readonly string[], { stdin = "", env = {} }: Options = {}): Promise<Result> {
    const child = this.start(args, { stdin, env });
    const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
    return { code: await child.exited, out, err };
  }

  /** All that a terminal so wide shows of a command, once it has shown `last`. */
  async onTerminal(args: readonly string[], columns: number, last: string): Promise<string> {
    const chunks: Uint8Array[] = [];
    const shown = () => Buffer.concat(chunks).toString();
    const { promise: isWhole, resolve } = Promise.withResolvers<void>();
    const child = Bun.spawn([...PROGRAM, ...args], {
      cwd: this.home,
      env: { PATH: process.env.PATH ?? "", HOME: this.home, TURNPIKE_URL: this.url, NO_COLOR: "1" },
      terminal: {
        cols: columns,
        rows: 24,
        data: (_, chunk) => {
          chunks.push(chunk);
          if (shown().includes(last)) resolve();
        },
      },
    });
    await Promise.all([isWhole, child.exited]);
    return shown();
  }

  /** What a command prints with --json. It fails with what was complained about. */
  async json<T>(args: readonly string[], options: Options = {}): Promise<T> {
    const { code, out, err } = await this.run([...args, "--json"], options);
    if (code !== 0) throw new Error(`turnpike ${args.join(" ")} ended with ${code}: ${err}`);
    return JSON.parse(out) as T;
  }

  signUp(email: string): Promise<Result> {
    return this.run(["signup", "--email", email, "--password-stdin"], { stdin: `${PASSWORD}\n` });
  }

  remove(): void {
    this.folder.remove();
  }
}

export interface Place {
  readonly url: string;
  person(url?: string): Person;
  close(): Promise<void>;
}

/** A real server, and people who use it. */
export async function startPlace(more: Record<string, string> = {}, config = ""): Promise<Place> {
  const folder = newFolder();
  if (config !== "") writeFileSync(join(folder.path, "turnpike.yaml"), config);
  const env = {
    TURNPIKE_ADMIN_EMAIL: ADMIN.email,
    TURNPIKE_ADMIN_PASSWORD: ADMIN.password,
    TURNPIKE_SIGNUP_CREDITS: "5",
    ...more,
  };
  const server: Turnpike = await startTurnpike(folder.path, env);
  const people: Person[] = [];
  return {
    url: server.url,
    person(url = server.url) {
      const person = new Person(url);
      people.push(person);
      return person;
    },
    async close() {
      server.kill("SIGKILL");
      await server.exited;
      for (const person of people) person.remove();
      folder.remove();
    },
  };
}
