import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Client } from "pg";
import { MASTER_KEY, startApp, type TestApp } from "../app.ts";
import { postgresMissing } from "../services/postgres.ts";
import { migratedUrl } from "../storage/migrated.ts";
import { errorFormat } from "./face.ts";

// SQLite has one writer at a time, so that only PostgreSQL has something to race.
describe.skipIf(postgresMissing !== null)("a budget that several have, changed at two servers at once", () => {
  let apps: readonly TestApp[];
  let holder: Client;
  /** In no transaction, within which the server would always tell the same. */
  let watcher: Client;
  beforeAll(async () => {
    const url = await migratedUrl("postgres");
    apps = [await startApp("", url), await startApp("", url)];
    [holder, watcher] = [new Client({ connectionString: url ?? "" }), new Client({ connectionString: url ?? "" })];
    await Promise.all([holder.connect(), watcher.connect()]);
    await here.post("/key/generate", {});
  });
  afterAll(async () => {
    await Promise.all([holder.end(), watcher.end()]);
    for (const app of apps) await app.close();
  });
  const at = (index: number) => ({
    post: (path: string, body: object) => errorFormat(apps[index] as TestApp, MASTER_KEY).post(path, body),
    get: (path: string) => errorFormat(apps[index] as TestApp, MASTER_KEY).get(path),
  });
  const [here, there] = [at(0), at(1)];

  /** Begins one piece of work after another, each as far as it gets while this lock is held, and gives what comes of them. */
  async function whileHeld<T>(lock: string, ...works: readonly (() => Promise<T>)[]): Promise<readonly T[]> {
    await holder.query(`begin; ${lock}`);
    const begun: Promise<T>[] = [];
    for (const work of works) {
      let isOver = false;
      const one = work().finally(() => {
        isOver = true;
      });
      begun.push(one);
      while (!isOver && (await waiting()) < begun.length) await Bun.sleep(5);
    }
    await holder.query("commit");
    return Promise.all(begun);
  }
  const waiting = async (): Promise<number> => {
    const { rows } = await watcher.query(
      "select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    return (rows[0] as { count: number }).count;
  };
  const NO_END = "lock table audit_log in share mode";

  test("keeps what each of two has changed of it", async () => {
    await here.post("/budget/new", { budget_id: "two", max_budget: 1, rpm_limit: 1 });
    const answers = await whileHeld(
      "select id from budgets where id = 'two' for update",
      () => here.post("/budget/update", { budget_id: "two", max_budget: 2 }),
      () => there.post("/budget/update", { budget_id: "two", rpm_limit: 2 }),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const { body } = await here.post("/budget/info", { budgets: ["two"] });
    expect(body).toMatchObject([{ max_budget: 2, rpm_limit: 2 }]);
  });

  test("gives its new limits also to a key that is given it in the same moment", async () => {
    await here.post("/budget/new", { budget_id: "moving", max_budget: 1 });
    const [made] = await whileHeld(
      NO_END,
      () => here.post("/key/generate", { budget_id: "moving" }),
      () => there.post("/budget/update", { budget_id: "moving", max_budget: 5 }),
    );
    const { info } = (await here.get(`/key/info?key=${made?.body.key}`)).body;
    expect(info).toMatchObject({ budget_id: "moving", max_budget: 5 });
  });

  test("is not removed where a key is given it in the same moment", async () => {
    await here.post("/budget/new", { budget_id: "leaving", max_budget: 1 });
    const [made, removed] = await whileHeld(
      NO_END,
      () => here.post("/key/generate", { budget_id: "leaving" }),
      () => there.post("/budget/delete", { id: "leaving" }),
    );
    expect([made?.status, removed?.status]).toEqual([200, 409]);
    const { info } = (await here.get(`/key/info?key=${made?.body.key}`)).body;
    expect(info).toMatchObject({ budget_id: "leaving", max_budget: 1 });
  });

  test("is changed, and given to somebody, where the organization itself has it", async () => {
    await here.post("/budget/new", { budget_id: "whole", max_budget: 1 });
    const { organization_id } = (
      await here.post("/organization/new", { organization_alias: "Whole", budget_id: "whole" })
    ).body;
    const { team_id } = (await here.post("/team/new", { team_alias: "T", organization_id })).body;
    const answers = await whileHeld(
      "select id from budgets where id = 'whole' for update",
      () => here.post("/budget/update", { budget_id: "whole", max_budget: 7 }),
      () => there.post("/key/generate", { team_id, budget_id: "whole" }),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const { info } = (await here.get(`/key/info?key=${answers[1]?.body.key}`)).body;
    expect(info).toMatchObject({ max_budget: 7 });
  });
});
