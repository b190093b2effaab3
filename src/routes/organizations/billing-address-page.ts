import Type from "typebox";
import type { BillingAddresses } from "../../accounts/organizations/billing-addresses.ts";
import { ERRORS, GatewayError } from "../../contract/errors.ts";
import { FORM_BYTES_MAX, readForm } from "../../http/bodies/read-form.ts";
import { plainPage } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";
import { escapeHtml } from "../../lib/html.ts";
import { plainFrame } from "../auth/plain-frame.ts";

const TITLE = "Turnpike: confirm a billing address";
const shared = {
  paths: ["/billing-address"],
  tag: "Organizations",
  summary: "Confirm a billing address",
  auth: "none",
  success: "text/html",
  hidden: true,
} as const;

/** Where the link of an email leads to. A button confirms the address: programs that scan emails follow links. */
export const billingAddressPage = (addresses: BillingAddresses): Route[] => [
  route({
    ...shared,
    method: "GET",
    query: Type.Object({ token: Type.Optional(Type.String({ maxLength: 1024 })) }),
    errors: [],
    handle: ({ query }) => plainPage(form(query.token ?? "")),
  }),
  route({
    ...shared,
    method: "POST",
    errors: ["not_found", "database", "unsupported_media_type"],
    rawBytesMax: FORM_BYTES_MAX,
    async handle({ request, connection, rawBody }) {
      const field = readForm(request, rawBody);
      try {
        await addresses.confirm(field("token"), connection.remoteAddress);
        return plainPage(plainFrame(TITLE, "<h1>Confirmed</h1><p>Alerts are sent to this address from now on.</p>"));
      } catch (thrown) {
        if (!(thrown instanceof GatewayError)) throw thrown;
        return plainPage(failed(thrown.message), ERRORS[thrown.kind].status, thrown.headers);
      }
    },
  }),
];

const failed = (problem: string): string =>
  plainFrame(TITLE, `<h1>Not confirmed</h1><p class="problem" role="alert">${escapeHtml(problem)}</p>`);

const form = (token: string): string =>
  plainFrame(
    TITLE,
    `<h1>Confirm this billing address</h1>
<p>An organization asks to send alerts about its credit to the address that received the link.</p>
<form method="post" action="/billing-address">
<input type="hidden" name="token" value="${escapeHtml(token)}">
<button>Confirm the address</button>
</form>`,
  );
