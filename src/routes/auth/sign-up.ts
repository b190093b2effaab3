import Type from "typebox";
import { type SignUpDeps, signUp } from "../../accounts/sign-up.ts";
import { eitherOf } from "../../contract/either-of.ts";
import { LinkSecret } from "../../contract/invitations.ts";
import { nullable } from "../../contract/schema.ts";
import { Email, Password, PersonName, UserView } from "../../contract/users.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { type SessionAnswers, SessionView, sessionTold } from "./answer-session.ts";
import { deviceOf } from "./device-of.ts";

export const signUpRoute = (deps: SignUpDeps, answers: SessionAnswers) =>
  route({
    method: "POST",
    paths: ["/api/auth/signup", "/api/auth/register"],
    tag: "Account",
    summary: "Sign up, with an organization of one's own",
    auth: "none",
    body: Type.Object({
      email: Email,
      password: Password,
      name: nullable(PersonName),
      organizationName: nullable(PersonName),
      organization_name: nullable(PersonName),
      invitationToken: nullable({
        ...LinkSecret,
        description: "Of an invitation to this e-mail. Then the person joins the organization that invites.",
      }),
      invitation_token: nullable(LinkSecret),
      cookie: Type.Optional(Type.Boolean({ description: "For a browser: the session comes as a cookie." })),
    }),
    success: Type.Object({ user: UserView, ...SessionView.properties }),
    successStatus: 201,
    errors: ["invalid_request", "permission", "not_found", "conflict", "rate_limit", "database"],
    async handle({ body, request, connection }) {
      const { email, password, name = null } = body;
      const organizationName = eitherOf(body.organizationName, body.organization_name) ?? null;
      const invitationToken = eitherOf(body.invitationToken, body.invitation_token) ?? null;
      const input = { email, password, name, organizationName, invitationToken };
      const made = await signUp(deps, input, deviceOf(request, connection));
      const { id, role } = made.user;
      const user = { id, email: made.user.email, name: made.user.name, role };
      const session = sessionTold(answers, request, made.issued, body.cookie === true);
      return json({ user, ...session.body }, 201, session.headers);
    },
  });
