import Type from "typebox";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";

export const currentUser = () =>
  route({
    method: "GET",
    paths: ["/api/auth/me"],
    tag: "Account",
    summary: "Tell who is logged in",
    auth: "session",
    success: Type.Object({
      user: Type.Object({ id: Type.Integer(), email: Type.String(), name: Type.String(), role: Type.String() }),
    }),
    errors: [],
    handle: ({ caller }) =>
      json({ user: { id: caller.userId, email: caller.email, name: caller.name, role: caller.role } }),
  });
