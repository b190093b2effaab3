import Type from "typebox";
import type { Sessions } from "../../accounts/sessions.ts";
import { Email, OneTimeCode, Password } from "../../contract/users.ts";
import { route } from "../../http/route.ts";
import { cookieAnswer, type SessionAnswers, SessionView, tokenAnswer } from "./answer-session.ts";
import { deviceOf } from "./device-of.ts";

export const logIn = (sessions: Sessions, answers: SessionAnswers) =>
  route({
    method: "POST",
    paths: ["/api/auth/token"],
    tag: "Account",
    summary: "Log in with e-mail and password",
    description: "With a second factor, `code` is needed too: 401 with the header `x-gw-two-factor: required` says so.",
    auth: "none",
    body: Type.Object({
      email: Email,
      password: Password,
      code: Type.Optional(OneTimeCode),
      cookie: Type.Optional(Type.Boolean({ description: "For a browser: the session comes as a cookie." })),
    }),
    success: SessionView,
    errors: ["authentication", "rate_limit", "database"],
    async handle({ body, request, connection }) {
      const issued = await sessions.logIn(body, deviceOf(request, connection));
      return body.cookie === true ? cookieAnswer(answers, request, issued) : tokenAnswer(issued);
    },
  });
