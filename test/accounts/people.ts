import { type Clock, systemClock } from "../../src/lib/clock.ts";
import { startApp, type TestApp } from "../app.ts";
import type { DATABASES } from "../storage/databases.ts";
import { migratedUrl } from "../storage/migrated.ts";

/** For tests that remove people: nobody is, as long as they own credit. */
export const WITHOUT_CREDIT = "general_settings: { signup_credits: 0 }\n";

/** The app over a fresh database of the given kind. */
export async function startAppOn(
  kind: (typeof DATABASES)[number]["kind"],
  yaml = "",
  clock: Clock = systemClock,
): Promise<TestApp> {
  return startApp(yaml, await migratedUrl(kind), clock);
}

/** People are numbered from 1 in each app, so that lists by name have an order that a test can state. */
const counts = new WeakMap<TestApp, number>();

/** Somebody who has just signed up, and what they send. */
export async function newPerson(app: TestApp) {
  const number = (counts.get(app) ?? 0) + 1;
  counts.set(app, number);
  const email = `person${number}@example.com`;
  const body = { email, password: "a good long one", name: `Person ${number}` };
  const response = await app.call("/api/auth/signup", { json: body });
  const { user, token } = (await response.json()) as { user: { id: number }; token: string };
  const send = async (method: string, path: string, json?: unknown, headers: Record<string, string> = {}) => {
    const answer = await app.call(path, {
      method,
      headers: { authorization: `Bearer ${token}`, ...headers },
      ...(json === undefined ? {} : { json }),
    });
    return { status: answer.status, body: (await answer.json()) as never };
  };
  const [own] = await app.storage.accounts.organizations.listOf(user.id);
  return { id: user.id, email, token, send, ownId: own?.organization.id ?? "" };
}

export type Person = Awaited<ReturnType<typeof newPerson>>;
