import type { Kysely, Selectable } from "kysely";
import type { DeploymentSwitch, DeploymentSwitchStore } from "../../accounts/model-records.ts";
import type { Tables } from "../tables.ts";

export function deploymentSwitchStore(db: Kysely<Tables>): DeploymentSwitchStore {
  return {
    async find(deploymentId) {
      const row = await db
        .selectFrom("deploymentSwitches")
        .selectAll()
        .where("deploymentId", "=", deploymentId)
        .executeTakeFirst();
      return row === undefined ? null : toSwitch(row);
    },
    async put({ weight, ...fields }) {
      const row = { ...fields, weightMilli: weight === null ? null : Math.round(weight * MILLI) };
      const { deploymentId: _, ...changes } = row;
      await db
        .insertInto("deploymentSwitches")
        .values(row)
        .onConflict((conflict) => conflict.column("deploymentId").doUpdateSet(changes))
        .execute();
    },
    async remove(deploymentId) {
      await db.deleteFrom("deploymentSwitches").where("deploymentId", "=", deploymentId).execute();
    },
    async list() {
      const rows = await db.selectFrom("deploymentSwitches").selectAll().orderBy("deploymentId").execute();
      return rows.map(toSwitch);
    },
  };
}

/** Thousandths, since the two databases do not agree on how fractions are written. */
const MILLI = 1_000;

const toSwitch = ({ weightMilli, ...row }: Selectable<Tables["deploymentSwitches"]>): DeploymentSwitch => ({
  ...row,
  weight: weightMilli === null ? null : weightMilli / MILLI,
});
