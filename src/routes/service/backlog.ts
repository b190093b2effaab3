import Type from "typebox";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";

export const backlog = (pendingCalls: () => number) =>
  route({
    method: "GET",
    paths: ["/health/backlog"],
    tag: "Service",
    summary: "Tell how many requests this process is working on",
    auth: "admin",
    success: Type.Object({ in_flight_requests: Type.Integer({ description: "This one is among them." }) }),
    errors: [],
    whileDraining: true,
    handle: () => json({ in_flight_requests: pendingCalls() }),
  });
