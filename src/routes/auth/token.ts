import Type from "typebox";
import type { Sessions } from "../../accounts/sessions.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";

export const logIn = (sessions: Sessions) =>
  route({
    method: "POST",
    paths: ["/api/auth/token"],
    tag: "Account",
    summary: "Log in with e-mail and password",
    auth: "none",
    body: Type.Object({
      email: Type.String({ minLength: 1, maxLength: 254 }),
      password: Type.String({ minLength: 1, maxLength: 1024 }),
    }),
    success: Type.Object({ token: Type.String(), expiresAt: Type.String({ format: "date-time" }) }),
    errors: ["authentication", "database"],
    async handle({ body }) {
      const { token, expiresAtMs } = await sessions.logIn(body.email, body.password);
      return json({ token, expiresAt: new Date(expiresAtMs).toISOString() });
    },
  });
