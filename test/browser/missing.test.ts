import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { browserMissing } from "./chromium.ts";
import { type Visitor, Walk } from "./walk.ts";

const WALK_MS = 120_000;

/** Addresses that lead to nothing: mistyped, removed meanwhile, or of somebody else. */
describe.skipIf(browserMissing !== null)("what is not there, in a browser", () => {
  let walk: Walk;
  let ada: Visitor;
  beforeAll(async () => {
    walk = await Walk.start("missing");
    ada = await walk.owner("ada@example.com", "Ada");
  }, WALK_MS);
  afterAll(() => walk?.close(), WALK_MS);

  const makeTeam = (name: string) => walk.fromPage<{ id: string }>(ada, "POST", "/api/gw/teams", { name });
  const makeKey = (name: string, teamId: string | undefined) =>
    walk.fromPage<{ id: string; key: string }>(ada, "POST", "/api/gw/api-keys", { name, teamId });

  const expectWayBack = async (visitor: Visitor, title: string, back: string): Promise<void> => {
    const { page } = visitor;
    await page.getByRole("heading", { level: 1, name: title, exact: true }).waitFor();
    await page.getByRole("link", { name: back, exact: true }).and(page.locator("main a")).waitFor();
    // The same question has the same answer.
    expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0);
    expect(await visitor.axe()).toEqual([]);
  };

  test(
    "the page of a thing that is not there says so, has a heading, and leads back to those that there are",
    async () => {
      const teams = await walk.fromPage<{ data: { id: string }[] }>(ada, "GET", "/api/gw/teams");
      await makeKey("first", teams.data[0]?.id);
      for (const [path, title, back] of [
        ["/ui/teams/nothing", "Team", "All teams"],
        ["/ui/training/runs/nothing", "Training run", "All runs"],
        ["/ui/threads/thread_nothing", "Thread", "All threads"],
        ["/ui/vector-stores/vs_nothing", "Vector store", "All vector stores"],
        ["/ui/nowhere", "There is no such page", "To the overview"],
      ] as const) {
        await ada.goTo(path);
        await expectWayBack(ada, title, back);
      }
      await ada.screenshot("nowhere");
      expect(ada.faults).toEqual([]);
    },
    WALK_MS,
  );

  test(
    "operators and people without rights are told the same way",
    async () => {
      const operator = await walk.operator();
      await operator.goTo("/ui/operator/organizations/nothing");
      await expectWayBack(operator, "Organization", "Organizations");
      await operator.goTo("/ui/operator/models/nothing");
      await expectWayBack(operator, "Model", "Deployments");
      await ada.goTo("/ui/operator/models");
      await expectWayBack(ada, "This page is not for you", "To the overview");
      expect(operator.faults).toEqual([]);
    },
    WALK_MS,
  );

  test(
    "a thread of another team is opened with a key of that team, as the page says",
    async () => {
      const { page } = ada;
      const team = await makeTeam("Research");
      const key = await makeKey("research", team.id);
      const made = await fetch(`${walk.turnpike.url}/v1/threads`, {
        method: "POST",
        headers: { authorization: `Bearer ${key.key}`, "content-type": "application/json" },
        body: "{}",
      });
      const thread = (await made.json()) as { id: string };
      await ada.goTo(`/ui/threads/${thread.id}`);
      const choice = page.getByRole("combobox", { name: "Key" });
      await choice.click();
      await page.getByRole("option", { name: "first" }).click();
      await page.getByText("choose a key of that team above").waitFor();
      await ada.screenshot("other-team");
      await choice.click();
      await page.getByRole("option", { name: "research" }).click();
      await page.getByRole("heading", { level: 1, name: "A thread without a name" }).waitFor();
    },
    WALK_MS,
  );

  test(
    "what was removed in another tab is not shown any longer",
    async () => {
      const { page } = ada;
      const team = await makeTeam("Short-lived");
      await ada.goTo(`/ui/teams/${team.id}`);
      await page.getByRole("heading", { level: 1, name: "Short-lived" }).waitFor();
      await walk.fromPage(ada, "DELETE", `/api/gw/teams/${team.id}`);
      await page.clock.install();
      await page.clock.fastForward(60_000);
      await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
      await expectWayBack(ada, "Team", "All teams");
    },
    WALK_MS,
  );
});
