import { Button, Card, Chip, Group, Stack, Text, TextInput, Title } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { CheckoutAnswer } from "../../../../src/contract/purchases.ts";
import { apiPost } from "../../api/client.ts";
import { FormError } from "../../components/form-error.tsx";
import { parseUsd } from "../../components/parse-usd.ts";
import { useFormMutation } from "../../components/use-form-mutation.ts";

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
  const buy = useFormMutation({
    form,
    send: ({ amountUsd }) =>
      apiPost<CheckoutAnswer>("/api/billing/checkout", { amountUsd: amountUsd.trim().replace(/^\$\s*|,/g, "") }),
    onDone: ({ checkoutUrl }) => window.location.assign(checkoutUrl),
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
