import Type from "typebox";
import { ModelGroupEntry } from "../../contract/models.ts";
import { nullable } from "../../contract/schema.ts";
import { describeGroup } from "../../gateway/info/describe-group.ts";
import { findVisible, visibleGroups } from "../../gateway/info/visible-models.ts";
import { groupHealth } from "../../gateway/routing/group-health.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import type { ModelDeps } from "./model-deps.ts";

export const modelGroupInfo = (deps: ModelDeps) =>
  route({
    method: "GET",
    paths: ["/model_group/info"],
    tag: "Models",
    summary: "Describe the groups that the key may call",
    description:
      "A group of several deployments shows the most that one of them allows or costs. One that there is not, or that " +
      "the key may not call, has no `providers`.",
    auth: "key",
    query: Type.Object({
      model_group: nullable(
        Type.String({ description: "Only this group: its name, a wildcard group, or a model that fits one." }),
      ),
    }),
    success: Type.Object({ data: Type.Array(ModelGroupEntry) }),
    errors: [],
    async handle({ caller, query }) {
      const name = query.model_group ?? null;
      const groups =
        name === null
          ? visibleGroups(deps.catalog(), caller)
          : [findVisible(deps.catalog(), caller, name) ?? { name, deployments: [] }];
      const book = await deps.prices.book();
      const now = deps.clock.nowMs();
      return json({
        data: groups.map((group) =>
          describeGroup(
            group.name,
            group.deployments.map((deployment) => ({ deployment, facts: book.factsFor(deployment, now) })),
            groupHealth(group.deployments.map(({ id }) => deps.router.stateOf(id))),
          ),
        ),
      });
    },
  });
