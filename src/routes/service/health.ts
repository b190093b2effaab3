import Type from "typebox";
import { checkDeployments, type HealthDeps } from "../../gateway/health/health.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";

const Endpoint = Type.Object({
  model_id: Type.String(),
  model_name: Type.String(),
  provider: Type.String(),
  model: Type.String(),
  duration_ms: Type.Number(),
  error: Type.Optional(Type.String()),
  kind: Type.Optional(Type.String({ description: "What kind of failure it was." })),
});

export const health = (deps: HealthDeps) =>
  route({
    method: "GET",
    paths: ["/health"],
    tag: "Service",
    summary: "Call every deployment once and tell which answer",
    auth: "admin",
    query: Type.Object({
      model: Type.Optional(Type.String({ description: "Check the deployments of this group only." })),
      model_id: Type.Optional(Type.String({ description: "Check this deployment only." })),
    }),
    success: Type.Object({
      healthy_endpoints: Type.Array(Endpoint),
      unhealthy_endpoints: Type.Array(Endpoint),
      healthy_count: Type.Integer(),
      unhealthy_count: Type.Integer(),
    }),
    errors: ["model_not_found"],
    async handle({ connection, request, query }) {
      connection.keepOpen();
      const only = query.model ?? query.model_id ?? null;
      const results = await checkDeployments(deps, only, request.signal).finally(() => connection.release());
      const healthy = results.filter((result) => result.error === undefined);
      const unhealthy = results.filter((result) => result.error !== undefined);
      return json({
        healthy_endpoints: healthy,
        unhealthy_endpoints: unhealthy,
        healthy_count: healthy.length,
        unhealthy_count: unhealthy.length,
      });
    },
  });
