import Type from "typebox";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";

export const backlog = (pendingCalls: () => number, others: () => Promise<readonly number[]>) =>
  route({
    method: "GET",
    paths: ["/health/backlog"],
    tag: "Service",
    summary: "Tell how many requests this server is working on, with all its workers",
    auth: "admin",
    success: Type.Object({ in_flight_requests: Type.Integer({ description: "This one is among them." }) }),
    errors: [],
    whileDraining: true,
    async handle() {
      const elsewhere = await others();
      return json({ in_flight_requests: elsewhere.reduce((sum, count) => sum + count, pendingCalls()) });
    },
  });
