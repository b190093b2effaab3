import Type from "typebox";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";

export const liveliness = () =>
  route({
    method: "GET",
    paths: ["/health/liveliness", "/health/liveness"],
    tag: "Service",
    summary: "Tell whether the process is alive",
    auth: "none",
    success: Type.String(),
    errors: [],
    whileDraining: true,
    skipsIpAllowlist: true,
    handle: () => json("I'm alive!"),
  });
