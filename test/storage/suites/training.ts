import { beforeEach, describe, expect, test } from "bun:test";
import { GatewayError } from "../../../src/contract/errors.ts";
import { trainingStores } from "../../../src/storage/training/training-stores.ts";
import { take } from "../../../src/training/run-states.ts";
import { newParticipant, newRound, newRun } from "../../training/new-run.ts";
import { AT } from "../new-records.ts";
import { rejection } from "../rejection.ts";
import type { StoreBench } from "../store-bench.ts";

export function trainingSuite(bench: StoreBench): void {
  const stores = () => trainingStores(bench.backend.db);
  const page = { page: 1, pageSize: 10 };

  describe("trainings", () => {
    beforeEach(async () => {
      await bench.backend.db.deleteFrom("trainingRuns").execute();
    });

    test("participants come back as they were put in, are changed by their parts, and go with their organization", async () => {
      const { id: organizationId } = await bench.storedOrganization();
      const made = newParticipant(organizationId);
      const { participants } = stores();
      await participants.insert(made);
      expect(await participants.find(made.id)).toEqual(made);
      const taken = (await rejection(participants.insert(newParticipant(organizationId)))) as GatewayError;
      expect([taken instanceof GatewayError, taken.kind]).toEqual([true, "conflict"]);
      await participants.update(made.id, { sealedToken: null, maxExamples: null });
      await participants.update(made.id, {});
      expect(await participants.find(made.id)).toEqual({ ...made, sealedToken: null, maxExamples: null });
      await participants.insert(newParticipant(organizationId, { name: "south", probe: null }));
      const { rows, total } = await participants.list(organizationId, { page: 2, pageSize: 1 });
      expect([rows.map(({ name, probe }) => [name, probe]), total]).toEqual([[["south", null]], 2]);
      expect((await participants.listNamed(organizationId, ["south", "east"])).map(({ name }) => name)).toEqual([
        "south",
      ]);
      await bench.backend.db.deleteFrom("organizations").where("id", "=", organizationId).execute();
      expect(await participants.find(made.id)).toBeNull();
    });

    test("a run that waits is taken by one of all who ask at once, and again when its holder is quiet", async () => {
      const { id: organizationId } = await bench.storedOrganization();
      const run = newRun(organizationId);
      const { runs } = stores();
      await runs.insert(run);
      expect(await runs.find(run.id)).toEqual(run);
      expect((await runs.listDue(AT, 5)).map(({ id }) => id)).toEqual([run.id]);
      const owners = ["a", "b", "c", "d"];
      const taken = await Promise.all(owners.map((owner) => runs.change(run.id, (found) => take(found, owner, AT))));
      const [holder, ...others] = taken.filter((one) => one !== null);
      expect([holder?.status, holder?.attempts, others]).toEqual(["running", 1, []]);
      const owner = holder?.leaseOwner ?? "";
      const until = holder?.leaseUntil ?? 0;
      expect(await runs.listDue(until - 1, 5)).toEqual([]);
      expect(await runs.renew("another", [run.id], until + 5)).toEqual([]);
      expect(await runs.renew(owner, ["none"], until + 5)).toEqual([]);
      expect(await runs.renew(owner, [run.id], until + 5)).toEqual([{ id: run.id, status: "running" }]);
      expect(await runs.listDue(until + 4, 5)).toEqual([]);
      expect(await runs.listDue(until + 5, 5)).toHaveLength(1);
      expect(await runs.known([run.id, "none"])).toEqual(new Set([run.id]));
    });

    test("a list has of a plan what it shows, also of runs that an earlier version made, and a change leaves plans alone", async () => {
      const { id: organizationId } = await bench.storedOrganization();
      const plan = {
        participants: [{ id: "north", max_examples: 5 }],
        strategy: { name: "fedadam" },
        config: { text: "\0 \ud800".repeat(20_000) },
      };
      const run = newRun(organizationId, { plan });
      const { runs } = stores();
      await runs.insert(run);
      const old = newRun(organizationId, { plan: { participants: [] }, createdAt: AT - 1 });
      await runs.insert(old);
      await bench.backend.db.updateTable("trainingRuns").set({ listed: null }).where("id", "=", old.id).execute();
      const { participants, strategy } = plan;
      const shown = [{ ...run, plan: { participants, strategy } }, old];
      expect((await runs.list(organizationId, {}, page)).rows).toEqual(shown);
      expect(await runs.listOpen(organizationId)).toEqual(shown.toSorted((a, b) => (a.id < b.id ? -1 : 1)));
      await runs.change(run.id, (found) => ({ ...found, roundsDone: 1 }));
      expect(await runs.find(run.id)).toEqual({ ...run, roundsDone: 1 });
    });

    test("events are in order, a round is there once, and all of it goes with the run", async () => {
      const { id: organizationId } = await bench.storedOrganization();
      const run = newRun(organizationId);
      const { runs, events } = stores();
      await runs.insert(run);
      await runs.insert(newRun(organizationId, { status: "completed", createdAt: AT + 1 }));
      expect([await runs.count(organizationId), (await runs.listOpen(organizationId)).length]).toEqual([2, 1]);
      expect((await runs.list(organizationId, {}, page)).rows.map(({ status }) => status)).toEqual([
        "completed",
        "queued",
      ]);
      expect((await runs.list(organizationId, { status: "queued" }, page)).total).toBe(1);
      const status = {
        runId: run.id,
        at: AT,
        kind: "status",
        round: null,
        data: { status: "queued", reason: null },
      } as const;
      const round = (number: number, at: number) =>
        events.insert({ runId: run.id, number, at: AT, kind: "round", round: at, data: newRound(at) });
      await events.insert({ ...status, number: 1 });
      await round(2, 1);
      await events.insert({ ...status, number: 3 });
      await round(4, 2);
      expect(((await rejection(round(5, 2))) as GatewayError).kind).toBe("conflict");
      expect((await events.listAfter(run.id, 1, 2)).map(({ number, kind }) => [number, kind])).toEqual([
        [2, "round"],
        [3, "status"],
      ]);
      expect((await events.listRounds(run.id, page, "desc")).rows).toEqual([newRound(2), newRound(1)]);
      expect(await events.findRound(run.id, 2)).toEqual(newRound(2));
      expect(await events.findRound(run.id, 3)).toBeNull();
      await runs.remove(run.id);
      expect(await events.listAfter(run.id, 0, 10)).toEqual([]);
    });
  });
}
