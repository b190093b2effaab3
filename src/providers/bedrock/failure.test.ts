import { describe, expect, test } from "bun:test";
import type { UpstreamFailure } from "../dialect.ts";
import { classifyBedrock, classifyStreamException } from "./failure.ts";
import cases from "./fixtures/errors.json";

const failure = (status: number, type: string | null, body: string): UpstreamFailure => ({
  status,
  body,
  headers: new Headers(type === null ? {} : { "x-amzn-errortype": type }),
});

describe("a failure of Bedrock", () => {
  test.each(cases.map((one) => [one.case, one] as const))("of the sort: %s", (_, { status, type, body, kind }) => {
    const classified = classifyBedrock(failure(status, type, body));
    expect(classified.kind as string).toBe(kind);
    expect(classified.message).toStartWith("Amazon Bedrock");
    expect(classified.message).not.toContain("<html>");
  });

  test("of our key says nothing of what Bedrock said about it", () => {
    const { message } = classifyBedrock(failure(400, "ExpiredTokenException", '{"message":"token AKID expired"}'));
    expect(message).not.toContain("AKID");
  });

  test.each([
    ["throttlingException", '{"message":"Too many requests"}', "rate_limit"],
    ["validationException", '{"message":"Input is too long for requested model."}', "context_window"],
    ["validationException", '{"message":"Bad"}', "invalid_request"],
    ["internalServerException", '{"message":"Oh"}', "upstream"],
    ["modelStreamErrorException", '{"message":"Oh","originalStatusCode":500}', "upstream"],
    ["modelTimeoutException", '{"message":"Oh"}', "timeout"],
    ["serviceUnavailableException", "", "upstream_unavailable"],
    ["something new: \n", "half {", "upstream"],
  ])("inside a stream, %s with %s, is %s", (name, data, kind) => {
    const classified = classifyStreamException(name, data);
    expect(classified.kind as string).toBe(kind);
    expect(classified.message).toStartWith("Amazon Bedrock: ");
  });
});
