import { signAws } from "../../src/providers/aws-sign.ts";
import { Refusal } from "./bedrock-wire.ts";

/** The access key that the fake knows; it is the example of AWS's own documents. */
export const FAKE_AWS = {
  accessKeyId: "AKIDEXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
  sessionToken: "AQoDYXdzEPTexample",
  region: "us-east-1",
} as const;

const SIGNATURE =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})$/;

export async function checkBedrockAuth(request: Request, body: string): Promise<void> {
  const authorization = request.headers.get("authorization") ?? "";
  if (/^Bearer \S+$/.test(authorization)) return;
  const [, keyId, day, region, service, signedHeaders] = SIGNATURE.exec(authorization) ?? [];
  if (keyId === undefined)
    throw new Refusal(403, "MissingAuthenticationTokenException", "Missing Authentication Token");
  if (keyId !== FAKE_AWS.accessKeyId) {
    throw new Refusal(403, "UnrecognizedClientException", "The security token included in the request is invalid.");
  }
  const stamp = request.headers.get("x-amz-date") ?? "";
  const token = request.headers.get("x-amz-security-token");
  const signed = new Set(signedHeaders?.split(";"));
  const mustSign = ["host", "x-amz-date", ...(token === null ? [] : ["x-amz-security-token"])];
  const isScoped = region === FAKE_AWS.region && service === "bedrock" && stamp.startsWith(`${day}T`);
  if (!isScoped || !mustSign.every((name) => signed.has(name))) {
    throw new Refusal(403, "InvalidSignatureException", "Credential should be scoped to a valid region and service.");
  }
  if (token !== null && token !== FAKE_AWS.sessionToken) {
    throw new Refusal(403, "ExpiredTokenException", "The security token included in the request is expired");
  }
  if (authorization !== (await expected(request, body, stamp, token, signed))) {
    throw new Refusal(403, "InvalidSignatureException", "The request signature we calculated does not match.");
  }
}

async function expected(
  request: Request,
  body: string,
  stamp: string,
  token: string | null,
  signed: ReadonlySet<string>,
): Promise<string | undefined> {
  const headers = [...request.headers].filter(([name]) => signed.has(name) && !name.startsWith("x-amz-"));
  const at = stamp.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z");
  const { authorization } = await signAws(
    { method: request.method, url: request.url, headers: Object.fromEntries(headers), body },
    { kind: "aws", service: "bedrock", ...FAKE_AWS, sessionToken: token },
    new Date(at),
  );
  return authorization;
}
