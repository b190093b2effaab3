import { ConnectionResult, TestConnectionBody } from "../../contract/stored-models.ts";
import { checkDeployment } from "../../gateway/health/health.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { BODY_BYTES_MAX, type StoredModelRouteDeps } from "./stored-model-deps.ts";

export const testConnection = ({ models, transport, env }: StoredModelRouteDeps) =>
  route({
    method: "POST",
    paths: ["/health/test_connection"],
    tag: "Stored models",
    summary: "Try a model before it is added",
    description: "Sends the smallest call that its kind of model takes. Nothing is kept.",
    auth: "admin",
    body: TestConnectionBody,
    bodyBytesMax: BODY_BYTES_MAX,
    success: ConnectionResult,
    errors: [],
    async handle({ body, connection, request }) {
      const { model_name: group, litellm_params: params, model_info: info, mode } = body;
      const named = { ...info, ...(mode ? { mode } : {}) };
      const deployment = models.preview({ group: group ?? "test", params, info: named });
      connection.keepOpen();
      const result = await checkDeployment({ transport, env }, deployment, request.signal).finally(() =>
        connection.release(),
      );
      const { duration_ms, error = null, kind = null } = result;
      return json({ status: error === null ? "success" : "error", result: { duration_ms, error, kind } });
    },
  });
