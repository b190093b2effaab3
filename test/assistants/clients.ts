import OpenAI from "openai";
import { newPerson, type Person } from "../accounts/people.ts";
import type { TestApp } from "../app.ts";

/** What official clients fetch with: the whole program, without a socket. */
export const fetchOf =
  (app: TestApp) =>
  (url: unknown, init?: unknown): Promise<Response> =>
    app.service.dispatcher.handle(new Request(url as string, init as RequestInit), {
      keepOpen: () => undefined,
      release: () => undefined,
      remoteAddress: "127.0.0.1",
    });

/** The official client, over it. */
export const clientOf = (app: TestApp, apiKey: string): OpenAI =>
  new OpenAI({
    baseURL: "http://turnpike.test/v1",
    apiKey,
    maxRetries: 0,
    fetch: fetchOf(app),
  });

export interface Customer {
  readonly person: Person;
  readonly teamId: string;
  readonly key: string;
  readonly keyId: string;
  readonly client: OpenAI;
}

/** Somebody with a team, a key and credit of their own. */
export async function newCustomer(app: TestApp): Promise<Customer> {
  const person = await newPerson(app);
  const { body: team } = await person.send("POST", "/api/gw/teams", { name: `Team of ${person.email}` });
  const teamId = (team as { id: string }).id;
  const { body } = await person.send("POST", "/api/gw/api-keys", { team_id: teamId, name: "Key" });
  const { key, id } = body as { key: string; id: string };
  return { person, teamId, key, keyId: id, client: clientOf(app, key) };
}

/** What a call of the client was refused with. */
export async function refusal(
  call: Promise<unknown>,
): Promise<{ status: number; message: string; param: string | null }> {
  try {
    await call;
  } catch (error) {
    if (error instanceof OpenAI.APIError) {
      return { status: error.status ?? 0, message: error.message, param: error.param ?? null };
    }
    throw error;
  }
  throw new Error("it was not refused");
}

export async function all<T>(pages: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const one of pages) found.push(one);
  return found;
}
