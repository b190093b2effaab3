import type { Kysely, Selectable } from "kysely";
import type { DeploymentStore, StoredDeployment } from "../../accounts/model-records.ts";
import type { Tables } from "../tables.ts";
import { isEmpty } from "./is-empty.ts";
import { decodeObject, encodeJson } from "./json-columns.ts";

export function deploymentStore(db: Kysely<Tables>): DeploymentStore {
  return {
    async find(id) {
      const row = await db.selectFrom("deployments").selectAll().where("id", "=", id).executeTakeFirst();
      return row === undefined ? null : toDeployment(row);
    },
    async insert(deployment) {
      const { params, info } = deployment;
      await db
        .insertInto("deployments")
        .values({ ...deployment, params: encodeJson(params), info: encodeJson(info) })
        .execute();
    },
    async update(id, { groupName, provider, params, info, sealed, status, updatedAt }) {
      const texts = { params: params && encodeJson(params), info: info && encodeJson(info) };
      const changes = { groupName, provider, ...texts, sealed, status, updatedAt };
      if (isEmpty(changes)) return;
      await db.updateTable("deployments").set(changes).where("id", "=", id).execute();
    },
    async remove(id) {
      await db.deleteFrom("deployments").where("id", "=", id).execute();
    },
    async list() {
      const rows = await db.selectFrom("deployments").selectAll().orderBy("createdAt").orderBy("id").execute();
      return rows.map(toDeployment);
    },
  };
}

const toDeployment = (row: Selectable<Tables["deployments"]>): StoredDeployment => ({
  ...row,
  params: decodeObject(row.params),
  info: decodeObject(row.info),
});
