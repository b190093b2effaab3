import type { Command } from "commander";
import { dollarText } from "../contract/money.ts";
import type { VoucherRecord } from "../contract/purchases.ts";
import type { Page } from "./api.ts";
import { type Act, type PageFlags, pageQuery, readCount, withPages } from "./context.ts";
import { EXPIRY, expiryReader, orNever } from "./read-expiry.ts";

type FreshVoucher = VoucherRecord & { readonly code: string };
type CreateFlags = { count?: number; expires?: string; note?: string };

/** `admin vouchers ...` */
export function addVouchers(admin: Command, act: Act): void {
  const vouchers = admin.command("vouchers").description("codes that are worth credits");

  vouchers
    .command("create")
    .description("make vouchers; their codes are shown this once, with --quiet alone")
    .argument("<usd>", "what each is worth, such as 12.50")
    .option("--count <number>", "how many", readCount)
    .option("--expires <time>", EXPIRY, expiryReader())
    .option("--note <text>", "for yourself")
    .action(
      act(async ({ api, output }, { count, expires, note }: CreateFlags, usd: string) => {
        const amountUsd = usd.replace("$", "");
        const body = { amountUsd, count, expiresAt: orNever(expires), note };
        const { data } = await api.send<{ data: FreshVoucher[] }>("POST", "/api/admin/vouchers", body);
        if (output.format === "json") output.data(JSON.stringify({ data }));
        else if (output.isBare) for (const { code } of data) output.data(code);
        else output.listAll(data, { CODE: ({ code }) => code, ID: ({ id }) => id });
        output.note("Keep the codes now: they are not shown again.");
      }),
    );

  withPages(vouchers.command("list").description("list vouchers, the newest first")).action(
    act(async ({ api, output }, flags: PageFlags) => {
      output.list(await api.get<Page<VoucherRecord>>("/api/admin/vouchers", pageQuery(flags)), {
        ID: ({ id }) => id,
        CODE: ({ last4 }) => `...${last4}`,
        AMOUNT: ({ amountUsd }) => dollarText(amountUsd),
        STATUS: ({ status }) => status,
        ORGANIZATION: ({ organizationId }) => organizationId,
        EXPIRES: ({ expiresAt }) => expiresAt,
      });
    }),
  );

  vouchers
    .command("revoke")
    .description("make a voucher worthless that nobody has redeemed")
    .argument("<voucher>", "its id")
    .action(
      act(async ({ api, output, prompt }, _: object, id: string) => {
        await prompt.confirm(`Revoke ${id}`);
        const path = `/api/admin/vouchers/${encodeURIComponent(id)}`;
        output.done(await api.send<object>("DELETE", path, undefined), "The voucher is revoked.");
      }),
    );
}
