import Type from "typebox";
import type { DeviceLogIn } from "../../accounts/device-log-in.ts";
import { GatewayError } from "../../contract/errors.ts";
import { isoTime, TokenView } from "../../contract/users.ts";
import { json } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";
import type { Clock } from "../../lib/clock.ts";
import { deviceOf } from "./device-of.ts";

export interface DeviceDeps {
  readonly deviceLogIn: DeviceLogIn;
  readonly clock: Clock;
  /** Where people reach the program, as a request tells it where nothing else does. */
  readonly publicUrlOf: (request: Request) => string;
}

const shared = { method: "POST", tag: "Account" } as const;
const DeviceCode = Type.String({ minLength: 1, maxLength: 100 });
const UserCode = Type.String({ minLength: 1, maxLength: 20 });

/** Each field in our spelling and in that of RFC 8628, whose clients read no other. */
const started = (verificationUri: string, deviceCode: string, userCode: string, seconds: number, interval: number) => {
  const complete = `${verificationUri}?user_code=${userCode}`;
  return {
    deviceCode,
    device_code: deviceCode,
    userCode,
    user_code: userCode,
    verificationUri,
    verification_uri: verificationUri,
    verificationUriComplete: complete,
    verification_uri_complete: complete,
    expiresIn: seconds,
    expires_in: seconds,
    interval,
  };
};

export const deviceRoutes = ({ deviceLogIn, clock, publicUrlOf }: DeviceDeps): Route[] => [
  route({
    ...shared,
    paths: ["/api/auth/device/code"],
    summary: "Begin the log-in of a program without a browser",
    description: "Show `userCode` and `verificationUri` to the person, and ask `/api/auth/device/token` meanwhile.",
    auth: "none",
    success: Type.Object({
      deviceCode: Type.String(),
      userCode: Type.String(),
      verificationUri: Type.String(),
      verificationUriComplete: Type.String(),
      expiresIn: Type.Integer(),
      interval: Type.Integer(),
    }),
    errors: ["invalid_request", "rate_limit", "database"],
    async handle({ request, connection }) {
      const { deviceCode, userCode, expiresInSeconds, intervalSeconds } = await deviceLogIn.start(
        deviceOf(request, connection),
      );
      const page = `${publicUrlOf(request)}/device`;
      return json(started(page, deviceCode, userCode, expiresInSeconds, intervalSeconds));
    },
  }),
  route({
    ...shared,
    paths: ["/api/auth/device/token"],
    summary: "Get the token, once the person has approved",
    description:
      "Until then 400, with `error` one of `authorization_pending`, `slow_down`, `access_denied`, `expired_token` and `invalid_grant`.",
    auth: "none",
    body: Type.Object({
      deviceCode: Type.Optional(DeviceCode),
      device_code: Type.Optional(DeviceCode),
      grant_type: Type.Optional(Type.String()),
    }),
    success: TokenView,
    errors: ["invalid_request", "database"],
    async handle({ body, request, connection }) {
      const deviceCode = body.deviceCode ?? body.device_code;
      if (deviceCode === undefined) throw new GatewayError("invalid_request", "deviceCode: it is missing.");
      const outcome = await deviceLogIn.poll(deviceCode, deviceOf(request, connection));
      if (typeof outcome === "string") throw new GatewayError("invalid_request", outcome);
      const { token, expiresAtMs } = outcome;
      const seconds = Math.floor((expiresAtMs - clock.nowMs()) / 1000);
      const rfc = { access_token: token, token_type: "Bearer", expires_in: seconds };
      return json({ token, expiresAt: isoTime(expiresAtMs), ...rfc });
    },
  }),
  route({
    ...shared,
    paths: ["/api/auth/device/approve"],
    summary: "Let a program in that shows this code, or refuse it",
    auth: "session",
    body: Type.Object({
      userCode: Type.Optional(UserCode),
      user_code: Type.Optional(UserCode),
      deny: Type.Optional(Type.Boolean()),
    }),
    success: Type.Object({ success: Type.Boolean() }),
    errors: ["invalid_request", "not_found", "rate_limit"],
    async handle({ caller, body, connection }) {
      const userCode = body.userCode ?? body.user_code;
      if (userCode === undefined) throw new GatewayError("invalid_request", "userCode: it is missing.");
      await deviceLogIn.decide(caller, userCode, body.deny !== true, connection.remoteAddress);
      return json({ success: true });
    },
  }),
];
