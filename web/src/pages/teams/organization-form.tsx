import {
  Button,
  Card,
  Group,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  Text,
  TextInput,
  Title,
} from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import type { OrganizationRecord } from "../../../../src/contract/organizations.ts";
import { apiPut } from "../../api/client.ts";
import { AddressesInput } from "../../components/addresses-input.tsx";
import { withCurrent } from "../../components/budget-windows.ts";
import { FormError } from "../../components/form-error.tsx";
import { notifyDone } from "../../components/notify.ts";
import { plainUsd } from "../../components/parse-usd.ts";
import { useFormMutation } from "../../components/use-form-mutation.ts";
import { checkUsd, countOrNull, nanoOrNull } from "./limit-values.ts";

const ZONES = [...new Set(["UTC", ...Intl.supportedValuesOf("timeZone")])];
const WINDOWS = ["hour", "day", "week", "month", "total"].map((value) => ({ value, label: value }));

export function OrganizationForm({ organization }: { organization: OrganizationRecord }) {
  const client = useQueryClient();
  const form = useForm({
    initialValues: {
      name: organization.name,
      billingEmail: organization.billingEmail ?? "",
      timezone: organization.timezone,
      dataRetentionDays: (organization.dataRetentionDays ?? "") as number | string,
      storePrompts: organization.storePrompts,
      allowedIps: [...organization.allowedIps],
      budget: organization.budget === null ? "" : plainUsd(organization.budget.limit),
      budgetWindow: organization.budgetWindow ?? "month",
      softBudget: organization.softBudget === null ? "" : plainUsd(organization.softBudget),
    },
    validate: { budget: checkUsd, softBudget: checkUsd },
  });
  const save = useFormMutation({
    form,
    send: (values) =>
      apiPut<OrganizationRecord>("/api/gw/organizations", {
        id: organization.id,
        name: values.name,
        billingEmail: values.billingEmail.trim() === "" ? null : values.billingEmail.trim(),
        timezone: values.timezone,
        dataRetentionDays: countOrNull(values.dataRetentionDays),
        storePrompts: values.storePrompts,
        allowedIps: values.allowedIps,
        budget: nanoOrNull(values.budget),
        budgetWindow: `${values.budget}${values.softBudget}`.trim() === "" ? null : values.budgetWindow,
        softBudget: nanoOrNull(values.softBudget),
      }),
    onDone() {
      notifyDone("The organization is changed.");
      void client.invalidateQueries({ queryKey: ["organizations"] });
    },
  });
  const isUnconfirmed = organization.billingEmail !== null && !organization.billingEmailVerified;
  return (
    <form onSubmit={save.onSubmit}>
      <Stack gap="lg">
        <Card component="section" aria-label="General">
          <Title order={2} mb="md">
            General
          </Title>
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <TextInput label="Name" required maxLength={100} {...form.getInputProps("name")} />
            <TextInput
              label="Billing e-mail"
              placeholder="the owner's"
              description={
                isUnconfirmed ? "Not confirmed: the owner gets the alerts. Save to send another link." : undefined
              }
              type="email"
              {...form.getInputProps("billingEmail")}
            />
            <Select
              label="Time zone of budgets and statements"
              searchable
              data={ZONES.includes(organization.timezone) ? ZONES : [organization.timezone, ...ZONES]}
              limit={50}
              allowDeselect={false}
              {...form.getInputProps("timezone")}
            />
            <NumberInput
              label="Days that logs are kept"
              placeholder="as the installation says"
              min={1}
              max={3650}
              allowDecimal={false}
              {...form.getInputProps("dataRetentionDays")}
            />
          </SimpleGrid>
          <AddressesInput
            mt="lg"
            description="Where keys and management tokens may be used from: addresses and ranges such as 10.0.0.0/8. Empty: anywhere. People who have logged in are not asked."
            {...form.getInputProps("allowedIps")}
          />
          <Switch
            mt="lg"
            label="Keep requests and answers with the log"
            description="Everybody who sees a call in the log then sees what was said."
            {...form.getInputProps("storePrompts", { type: "checkbox" })}
          />
        </Card>
        <Card component="section" aria-label="Budget">
          <Title order={2}>Budget</Title>
          <Text size="sm" c="dimmed" mb="md">
            What all teams may spend together. Once that is spent, calls are refused; passing the amount beside it is
            told, and nothing is refused.
          </Text>
          <SimpleGrid cols={{ base: 1, sm: 3 }}>
            <TextInput label="Budget in USD" placeholder="no limit" {...form.getInputProps("budget")} />
            <Select
              label="For each"
              data={withCurrent(WINDOWS, form.values.budgetWindow)}
              allowDeselect={false}
              {...form.getInputProps("budgetWindow")}
            />
            <TextInput label="Tell at, in USD" placeholder="nothing" {...form.getInputProps("softBudget")} />
          </SimpleGrid>
        </Card>
        <FormError error={save.error} />
        <Group>
          <Button type="submit" loading={save.isPending}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
