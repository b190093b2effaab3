import { Button, Card, Chip, Group, Stack, Text, TextInput, Title } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useRef } from "react";
import type { CheckoutAnswer } from "../../../../src/contract/purchases.ts";
import { apiPost } from "../../api/client.ts";
import { FormError } from "../../components/form-error.tsx";
import { parseUsd } from "../../components/parse-usd.ts";
import { useFormMutation } from "../../components/use-form-mutation.ts";
import { useOrganization } from "../../session/session.ts";

const AMOUNTS = ["10", "25", "50", "100", "500"];
const CENT = 10_000_000;
const [LEAST, MOST] = [5_000_000_000, 10_000_000_000_000];

/** Says the same as the server would, before it is asked. */
function problemOf(text: string): string | null {
  const nano = parseUsd(text);
  if (nano === null || nano % CENT !== 0) return "An amount in USD, such as 25 or 19.99";
  return nano < LEAST || nano > MOST ? "From 5 to 10,000 USD" : null;
}

/** Leaves for the payment provider's page; what was paid there comes back as credit. */
export function BuyCard() {
  const form = useForm({ initialValues: { amountUsd: "25" }, validate: { amountUsd: problemOf } });
  const keys = usePurchaseKeys();
  const buy = useFormMutation({
    form,
    send({ amountUsd: typed }) {
      const amountUsd = typed.trim().replace(/^\$\s*|,/g, "");
      const headers = { "idempotency-key": keys.of(amountUsd) };
      return apiPost<CheckoutAnswer>("/api/billing/checkout", { amountUsd }, { headers });
    },
    onDone({ checkoutUrl }) {
      keys.forget();
      window.location.assign(checkoutUrl);
    },
  });
  return (
    <Card component="section" aria-label="Buy credits">
      <Title order={2}>Buy credits</Title>
      <Text c="dimmed" size="sm" mb="md">
        You pay on the page of the payment provider. The credit is there when the payment is confirmed, and does not
        end.
      </Text>
      <form onSubmit={buy.onSubmit}>
        <Stack>
          <Chip.Group
            value={form.values.amountUsd}
            onChange={(value) => form.setFieldValue("amountUsd", String(value))}
          >
            <Group gap="xs" role="group" aria-label="Amounts">
              {AMOUNTS.map((amount) => (
                <Chip key={amount} value={amount} radius="md">
                  ${amount}
                </Chip>
              ))}
            </Group>
          </Chip.Group>
          <TextInput
            label="Amount in USD"
            required
            inputMode="decimal"
            leftSection="$"
            maw={220}
            {...form.getInputProps("amountUsd")}
          />
          <FormError error={buy.error} />
          <Group>
            <Button type="submit" loading={buy.isPending || buy.isSuccess}>
              Go to the payment
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  );
}

/**
 * What is sent again because it was clicked twice, or because its answer was lost, is the same purchase; once there is an
 * answer, or for another amount or organization, it is another one.
 */
function usePurchaseKeys() {
  const organizationId = useOrganization()?.id ?? "";
  const kept = useRef(new Map<string, string>());
  return {
    of(amountUsd: string): string {
      const what = `${organizationId} ${amountUsd}`;
      const key = kept.current.get(what) ?? crypto.randomUUID();
      kept.current.set(what, key);
      return key;
    },
    forget: () => kept.current.clear(),
  };
}
