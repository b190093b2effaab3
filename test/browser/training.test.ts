import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { float32, Participant, ParticipantError, writeSafetensors } from "../../sdk/typescript/src/index.ts";
import { newRound } from "../training/new-run.ts";
import { startSmall, valuesOf } from "../training/small-participants.ts";
import { browserMissing } from "./chromium.ts";
import { NAMES, OPENED } from "./markup-corpus.ts";
import { type Visitor, Walk } from "./walk.ts";

const WALK_MS = 180_000;
const LONG = 3_000;
const CONFIG = `
general_settings: { log_level: error, api_reads_per_minute: 100000, api_writes_per_minute: 100000, training: { allow_private_participants: true } }
`;

/** Learns one number; tells accuracy and loss, and says when it was asked. */
async function startLearner(name: string, goal: number, token: string | null) {
  const participant = new Participant({
    name,
    log: false,
    partial: true,
    ...(token === null ? {} : { tokens: [token] }),
  });
  const held = Promise.withResolvers<void>();
  let left = Number.POSITIVE_INFINITY;
  let fails: string | null = null;
  participant.registerTrain(async (parameters) => {
    if (left-- <= 0) await held.promise;
    if (fails !== null) throw new ParticipantError(fails, 500);
    const [value = 0] = parameters === null ? [0] : valuesOf(parameters);
    return { parameters: writeSafetensors(new Map([["w", float32([value + 0.4 * (goal - value)])]])), numExamples: 10 };
  });
  let judges = true;
  participant.registerEvaluate((parameters) => {
    if (!judges) throw new ParticipantError("<b>no</b> rows to test with", 422);
    const [value = 0] = parameters === null ? [0] : valuesOf(parameters);
    return { accuracy: 1 - Math.abs(3 - value) / 3, loss: (3 - value) ** 2, numExamples: 10 };
  });
  participant.registerDataset("digits", []);
  const listener = await participant.serve({ host: "127.0.0.1", port: 0 });
  return {
    url: listener.url,
    stop: listener.stop,
    /** From then on it answers when it is released. */
    holdAfter(trainings: number) {
      left = trainings;
    },
    release() {
      left = Number.POSITIVE_INFINITY;
      held.resolve();
    },
    fail(words: string | null) {
      fails = words;
    },
    failToEvaluate() {
      judges = false;
    },
  };
}

/** As if the run had had so many. */
function putRounds(file: string, runId: string): void {
  const database = new Database(file);
  try {
    database.run("PRAGMA busy_timeout = 20000");
    const found = database.query("SELECT events_made AS made FROM training_runs WHERE id = ?").get(runId);
    const { made } = found as { made: number };
    const add = database.query("INSERT INTO training_events VALUES (?, ?, 0, 'round', ?, ?)");
    database.transaction(() => {
      for (let round = 1; round <= LONG; round++) {
        add.run(runId, made + round, round, JSON.stringify({ ...newRound(round), accuracy: round / LONG }));
      }
      database.run("UPDATE training_runs SET rounds_done = ?, events_made = ? WHERE id = ?", [
        LONG,
        made + LONG,
        runId,
      ]);
    })();
  } finally {
    database.close();
  }
}

describe.skipIf(browserMissing !== null)("training, in a browser", () => {
  let walk: Walk;
  let ada: Visitor;
  let learners: Awaited<ReturnType<typeof startLearner>>[];
  beforeAll(async () => {
    walk = await Walk.start("training", {}, CONFIG);
    ada = await walk.owner("ada@example.com", "Ada");
    learners = [await startLearner("Hospital <b>North</b>", 2, null), await startLearner("South", 4, null)];
  }, WALK_MS);
  afterAll(async () => {
    await walk?.close();
    await Promise.all(learners.map((one) => one.stop()));
  }, WALK_MS);

  test(
    "an owner registers participants, asks them, and changes one",
    async () => {
      const { page } = ada;
      await page.getByRole("link", { name: "Training runs", exact: true }).click();
      await page.getByRole("heading", { name: "No runs yet" }).waitFor();
      await ada.screenshot("runs-empty");
      await page.getByRole("link", { name: "Register participants" }).click();
      await page.getByRole("heading", { name: "No participants yet" }).waitFor();
      expect(await ada.axe()).toEqual([]);
      for (const [at, name] of ["north", "south"].entries()) {
        await page.getByRole("button", { name: "Register a participant" }).click();
        const dialog = page.getByRole("dialog");
        await dialog.getByRole("textbox", { name: "Name" }).fill(name);
        await dialog
          .getByRole("textbox", { name: "Address" })
          .fill(at === 0 ? "not an address" : (learners[at]?.url ?? ""));
        if (at === 0) {
          await dialog.getByRole("button", { name: "Register", exact: true }).click();
          await dialog.getByText("it must be an address that begins with").waitFor();
          expect(await ada.axe()).toEqual([]);
          await ada.screenshot("register");
          await dialog.getByRole("textbox", { name: "Address" }).fill(learners[at]?.url ?? "");
        }
        await dialog.getByRole("button", { name: "Register", exact: true }).click();
        await dialog.waitFor({ state: "hidden" });
      }
      await page.getByRole("button", { name: "Ask north" }).click();
      await page.getByText("Hospital <b>North</b>; data: digits").waitFor();
      // On a phone, what can be done stands in one line.
      await page.setViewportSize({ width: 390, height: 844 });
      const [ask, menu] = await Promise.all(
        ["Ask north", "What to do with north"].map((name) => page.getByRole("button", { name }).boundingBox()),
      );
      expect(ask?.x).toBeLessThan(menu?.x ?? 0);
      expect(Math.abs((ask?.y ?? 0) - (menu?.y ?? 100))).toBeLessThan(10);
      await page.setViewportSize({ width: 1280, height: 860 });
      const dialog = page.getByRole("dialog");
      await walk.fromPage(ada, "POST", "/api/training/participants", { name: "gone", url: "http://127.0.0.1:9" });
      await page.reload();
      await page.getByRole("button", { name: "What to do with gone" }).click();
      await page.getByRole("menuitem", { name: "Remove" }).click();
      await dialog.getByRole("button", { name: "Remove" }).click();
      await page.getByText("gone is removed.").waitFor();
      await page.getByRole("button", { name: "What to do with south" }).click();
      await page.getByRole("menuitem", { name: "Change" }).click();
      await dialog.getByRole("textbox", { name: "Counts at most" }).fill("1000");
      await dialog.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByRole("row").filter({ hasText: "south" }).getByText("1,000").waitFor();
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("participants");
      expect(ada.faults).toEqual([]);
    },
    WALK_MS,
  );

  test(
    "a run is planned, watched round by round, paused, resumed and finished; its report and model are there",
    async () => {
      const { page } = ada;
      await page.getByRole("link", { name: "Training runs", exact: true }).click();
      await page.getByRole("link", { name: "New run" }).click();
      await page.getByRole("textbox", { name: "Name" }).fill("Digits together");
      await page.getByRole("textbox", { name: "Rounds" }).fill("8");
      await page.getByRole("combobox", { name: "Strategy" }).click();
      await page.getByRole("option", { name: "fedavgm" }).click();
      await page.getByRole("textbox", { name: "momentum" }).fill("0.1");
      await page.getByRole("textbox", { name: "Epochs in a round" }).fill("2");
      const plan = page.locator("pre");
      await plan.filter({ hasText: "momentum: 0.1" }).waitFor();
      expect(await plan.innerText()).toBe(
        'name: "Digits together"\nrounds: 8\nparticipants: [north, south]\nstrategy:\n  name: fedavgm\n  momentum: 0.1\nconfig:\n  epochs: 2\n',
      );
      await page.locator('input[type="file"]').setInputFiles({
        name: "start.safetensors",
        mimeType: "application/octet-stream",
        buffer: Buffer.from(writeSafetensors(new Map([["w", float32([0])]]))),
      });
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("new-run");
      const [first, second] = learners;
      first?.holdAfter(3);
      await page.getByRole("button", { name: "Start the run" }).click();
      await page.getByRole("heading", { level: 1, name: "Digits together" }).waitFor();
      const rounds = page.getByRole("table", { name: "Rounds" });
      await rounds.getByRole("cell", { name: "3", exact: true }).waitFor();
      await page.getByRole("button", { name: "Pause", exact: true }).click();
      await page.getByText("This run is paused").waitFor();
      await page.getByText("Ada paused it").waitFor();
      first?.release();
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("paused");
      // Somebody drops out with words of its own, which are text and nothing else.
      second?.fail("<img src=x onerror=alert(1)>");
      await page.getByRole("button", { name: "Resume" }).click();
      await page.getByText(/did not reach its quorum of 2/).waitFor();
      second?.fail(null);
      second?.failToEvaluate();
      await page.getByRole("button", { name: "Resume" }).click();
      await page.getByText("8 of 8 rounds").waitFor();
      await page.getByRole("link", { name: "All runs" }).waitFor();
      await page.getByText("completed").first().waitFor();
      await rounds
        .getByText(/did not evaluate: it answered 422: .*<b>no<\/b> rows to test with/)
        .first()
        .waitFor();
      await page.locator(".recharts-line").first().waitFor();
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("run");

      const download = page.waitForEvent("download");
      await page.getByRole("link", { name: "Download the model", exact: true }).click();
      expect((await download).suggestedFilename()).toBe("Digits-together-round-8.safetensors");
      const id = page.url().split("/").at(-1);
      await ada.goTo(`/api/training/runs/${id}/report`);
      await page.getByText("8 of 8 rounds").waitFor();
      await ada.screenshot("report");
      await ada.goTo("/ui/training/runs");
      await page.getByRole("table", { name: "Training runs" }).getByText("completed").waitFor();
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("runs");
      expect(ada.faults).toEqual([]);
    },
    WALK_MS,
  );

  test(
    "a completed run returns to an earlier round and continues",
    async () => {
      const { page } = ada;
      await ada.goTo("/ui/training/runs");
      await page.getByRole("link", { name: "Digits together" }).click();
      await page.getByRole("button", { name: "Roll back to round 7" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Roll back" }).click();
      await page.getByText("7 of 8 rounds").waitFor();
      await page.getByRole("button", { name: "Resume" }).click();
      await page.getByText("8 of 8 rounds").waitFor();
      expect(ada.faults).toEqual([]);
    },
    WALK_MS,
  );

  test(
    "a robust rule warns on skewed data, a member only reads, and a run is cancelled and deleted",
    async () => {
      const { page } = ada;
      const apart = await Promise.all(
        [0, 1, 2].map((at) =>
          startSmall(`s${at}`, 0, () => ({
            parameters: writeSafetensors(new Map([["w", float32([0, 1, 2].map((place) => (place === at ? 1 : 0)))]])),
            numExamples: 1,
          })),
        ),
      );
      try {
        for (const { id, url } of apart)
          await walk.fromPage(ada, "POST", "/api/training/participants", { name: id, url });
        await ada.goTo("/ui/training/new");
        await page.getByRole("switch", { name: "Edit as text" }).check({ force: true });
        await page
          .getByRole("textbox", { name: "Plan as YAML" })
          .fill("name: skewed\nrounds: 2\nstrategy: median\nparticipants: [s0, s1, s2]\n");
        await page.getByRole("button", { name: "Start the run" }).click();
        await page.getByText("This rule may learn less here").waitFor();
        await page.getByText("2 of 2 rounds").waitFor();
        await ada.screenshot("warning");
        const bob = await walk.developer(ada, "bob@example.com", "Bob");
        await bob.goTo(new URL(page.url()).pathname);
        await bob.page.getByText("2 of 2 rounds").waitFor();
        expect(await bob.page.getByRole("button", { name: "Delete" }).count()).toBe(0);
        expect(await bob.axe()).toEqual([]);
        expect(bob.faults).toEqual([]);
        await page.getByRole("button", { name: "Delete" }).click();
        await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
        await page.getByText("The run is deleted.").waitFor();
        await page.getByRole("heading", { level: 1, name: "Training runs" }).waitFor();
        await page.getByText("skewed").first().waitFor({ state: "detached" });
        expect(ada.faults).toEqual([]);
      } finally {
        await Promise.all(apart.map((one) => one.stop()));
      }
    },
    WALK_MS,
  );

  test(
    "a run of thousands of rounds is shown with its newest ones, and its curves with as many points as a screen has room for",
    async () => {
      const { page } = ada;
      const plan = { name: "long", participants: ["north"], rounds: LONG, retries: 0, deadline_seconds: 1 };
      learners[0]?.fail("not now");
      const { id } = await walk.fromPage<{ id: string }>(ada, "POST", "/api/training/runs", { plan });
      await ada.goTo(`/ui/training/runs/${id}`);
      await page.getByText("This run is paused").waitFor();
      learners[0]?.fail(null);
      putRounds(join(walk.home, "data/turnpike.db"), id);
      await page.reload();
      const rounds = page.getByRole("table", { name: "Rounds" });
      await rounds.getByRole("cell", { name: LONG.toLocaleString("en"), exact: true }).waitFor();
      const curve = page.locator(".recharts-line-curve").first();
      await curve.waitFor();
      const points = ((await curve.getAttribute("d")) ?? "").split(/[ML]/).length - 1;
      expect(points).toBeGreaterThan(300);
      expect(points).toBeLessThanOrEqual(501);
      expect(await ada.axe()).toEqual([]);
      expect(ada.faults).toEqual([]);
    },
    WALK_MS,
  );

  test(
    "markup in names, addresses and what participants say is text",
    async () => {
      const { page } = ada;
      const names = NAMES;
      await ada.context.addInitScript("globalThis.canary = () => console.error('canary')");
      const ids: string[] = [];
      for (const name of names) {
        const plan = { name, participants: ["north"], rounds: 1, retries: 0, deadline_seconds: 5 };
        const run = await walk.fromPage<{ id: string }>(ada, "POST", "/api/training/runs", { plan });
        ids.push(run.id);
        // Only so many may be open at a time; one that has run to its end meanwhile stays as it is.
        await walk.fromPage(ada, "POST", `/api/training/runs/${run.id}/cancel`).catch(() => undefined);
      }
      await ada.goTo("/ui/training/runs?size=100");
      await page.getByRole("link", { name: names[0] ?? "", exact: true }).waitFor();
      const shown = await page.getByRole("table", { name: "Training runs" }).getByRole("link").allTextContents();
      expect(shown).toEqual(expect.arrayContaining([...names]));
      for (const [at, id] of ids.slice(0, OPENED.length).entries()) {
        await ada.goTo(`/ui/training/runs/${id}`);
        await page.getByRole("heading", { level: 1, name: names[at] ?? "", exact: true }).waitFor();
      }
      expect(ada.faults).toEqual([]);
    },
    WALK_MS,
  );
});
