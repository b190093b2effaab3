import { describe, expect, test } from "bun:test";
import type { DeploymentSwitch, StoredCredential, StoredDeployment } from "../../../src/accounts/model-records.ts";
import type { OperatorRule } from "../../../src/accounts/operator-rule.ts";
import { AT, unique } from "../new-records.ts";
import { rejection } from "../rejection.ts";
import type { StoreBench } from "../store-bench.ts";

const newDeployment = (given: Partial<StoredDeployment> = {}): StoredDeployment => ({
  id: unique("model_"),
  groupName: "größe/🚀",
  provider: "openai",
  params: { model: "openai/x", rpm: 5, nested: { list: [1, "\u0000"] } },
  info: {},
  sealed: "v1.sealed",
  status: "enabled",
  createdBy: null,
  createdAt: AT,
  updatedAt: AT,
  ...given,
});

const newCredential = (given: Partial<StoredCredential> = {}): StoredCredential => ({
  id: unique("credential_"),
  name: unique("azure-"),
  provider: null,
  sealed: "v1.sealed",
  createdBy: null,
  createdAt: AT,
  updatedAt: AT,
  ...given,
});

export function modelSuite(bench: StoreBench): void {
  describe("deployments", () => {
    test("come back as they were put, the oldest first", async () => {
      const { deployments } = bench.stores;
      const { id: createdBy } = await bench.storedUser();
      const [late, early] = [newDeployment({ createdAt: AT + 9, createdBy }), newDeployment({ status: "disabled" })];
      for (const one of [late, early]) await deployments.insert(one);
      expect(await deployments.find(late.id)).toEqual(late);
      expect(await deployments.list()).toEqual([early, late]);
      expect(await deployments.find("none")).toBeNull();
    });

    test("have an id of their own", async () => {
      const { deployments } = bench.stores;
      const one = newDeployment();
      await deployments.insert(one);
      expect(await rejection(deployments.insert(one))).toMatchObject({ kind: "conflict" });
    });

    test("are changed in parts, never who made them and when, and removed", async () => {
      const { deployments } = bench.stores;
      const one = newDeployment();
      await deployments.insert(one);
      await deployments.update(one.id, { status: "disabled", params: { model: "b" }, ...{ createdAt: 1 } });
      await deployments.update(one.id, {});
      expect(await deployments.find(one.id)).toEqual({ ...one, status: "disabled", params: { model: "b" } });
      await deployments.remove(one.id);
      expect(await deployments.find(one.id)).toBeNull();
    });
  });

  describe("credentials", () => {
    test("are found by name, changed and removed", async () => {
      const { credentials } = bench.stores;
      const one = newCredential();
      await credentials.insert(one);
      expect(await credentials.find(one.name)).toEqual(one);
      await credentials.update(one.name, { provider: "azure", sealed: "v1.other" });
      expect(await credentials.list()).toEqual([{ ...one, provider: "azure", sealed: "v1.other" }]);
      expect(await rejection(credentials.insert(newCredential({ name: one.name })))).toMatchObject({
        kind: "conflict",
      });
      await credentials.remove(one.name);
      expect(await credentials.list()).toEqual([]);
    });
  });

  describe("what is set about deployments", () => {
    const set: DeploymentSwitch = {
      deploymentId: "größe 🚀",
      enabled: false,
      weight: 0.125,
      restUntil: AT + 5,
      clearedAt: null,
      updatedAt: AT,
    };

    test("comes back as it was put last, by id", async () => {
      const { deploymentSwitches } = bench.stores;
      const before = await deploymentSwitches.list();
      expect(await deploymentSwitches.find(set.deploymentId)).toBeNull();
      await deploymentSwitches.put(set);
      expect(await deploymentSwitches.find(set.deploymentId)).toEqual(set);
      const changed = { ...set, enabled: true, weight: null, restUntil: null, clearedAt: AT + 9 };
      await deploymentSwitches.put(changed);
      const other = { ...set, deploymentId: "a" };
      await deploymentSwitches.put(other);
      expect(await deploymentSwitches.list()).toEqual([...before, other, changed]);
      await deploymentSwitches.remove(changed.deploymentId);
      expect(await deploymentSwitches.list()).toEqual([...before, other]);
    });
  });

  describe("what operators set at run time", () => {
    test("is put in place of what there is, listed by age, and removed", async () => {
      const { operatorRules } = bench.stores;
      const before = await operatorRules.list();
      const rule: OperatorRule = {
        kind: "alias",
        name: unique("größe/🚀 "),
        value: { model: "a", nested: [1, "\u0000"] },
        createdBy: null,
        createdAt: AT + 5,
        updatedAt: AT + 5,
      };
      const other: OperatorRule = { ...rule, kind: "guardrail", createdAt: AT + 6 };
      expect(await operatorRules.find("alias", rule.name)).toBeNull();
      for (const one of [other, rule]) await operatorRules.put(one);
      expect(await operatorRules.list()).toEqual([...before, rule, other]);
      await operatorRules.put({ ...rule, value: { model: "b" }, createdAt: AT + 9, updatedAt: AT + 9 });
      const changed = { ...rule, value: { model: "b" }, updatedAt: AT + 9 };
      expect(await operatorRules.find("alias", rule.name)).toEqual(changed);
      await operatorRules.remove("guardrail", rule.name);
      expect(await operatorRules.list()).toEqual([...before, changed]);
    });
  });
}
