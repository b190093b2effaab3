import { Card, NumberInput, Select, SimpleGrid, Stack, Text, TextInput, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { type ModelFormApi, TYPES } from "./model-values.ts";
import { ReachFields } from "./reach-fields.tsx";
import { providerChoice, useProviders } from "./use-providers.ts";

/** What a model is, how it is reached, its part of the calls and its price. */
export function ModelForm({ form, isNew }: { form: ModelFormApi; isNew: boolean }) {
  const { data: providers } = useProviders();
  const of = (name: string) => ({ key: form.key(name), ...form.getInputProps(name) });
  return (
    <Stack gap="lg">
      <Section title="What it is">
        <Select
          label="Provider"
          description="Who serves the model. Servers that speak OpenAI's interface are OpenAI with an address."
          data={providers?.map(providerChoice) ?? []}
          searchable
          required
          limit={100}
          nothingFoundMessage="There is no such provider"
          {...of("provider")}
        />
        <TextInput
          label="Model at the provider"
          description="Such as gpt-4o-mini."
          required
          {...of("inferenceModelId")}
        />
        <TextInput
          label="Name for callers"
          description="Models of one name share its calls. With a star (openai/*) it stands for all that fit."
          placeholder="The provider's own"
          {...of("name")}
        />
        <Select
          label="Kind"
          description="Only where it is not known from the model."
          data={Object.entries(TYPES).map(([value, label]) => ({ value, label }))}
          clearable
          {...of("type")}
          value={String(form.getValues().type ?? "") || null}
          onChange={(value) => form.setFieldValue("type", value ?? "")}
        />
      </Section>
      <ReachFields form={form} isNew={isNew} />
      <Section title="Its part of the calls" about="All of this can stay empty.">
        <NumberInput label="Weight" description="Beside 1 for those that have none." min={0} {...of("weight")} />
        <NumberInput
          label="Order"
          description="Lower ones are used first, others when those have failed."
          min={0}
          {...of("order")}
        />
        <NumberInput label="Requests a minute" min={1} thousandSeparator="," {...of("rpm")} />
        <NumberInput label="Tokens a minute" min={1} thousandSeparator="," {...of("tpm")} />
        <NumberInput label="Calls at one time" min={1} thousandSeparator="," {...of("max_parallel_requests")} />
        <NumberInput label="Time limit in seconds" min={1} {...of("timeout")} />
      </Section>
      <Section title="Price" about="In USD for a million tokens. What is empty is taken from the public price list.">
        <TextInput label="Input" leftSection="$" inputMode="decimal" {...of("inputPrice")} />
        <TextInput label="Output" leftSection="$" inputMode="decimal" {...of("outputPrice")} />
        <TextInput label="Cached input" leftSection="$" inputMode="decimal" {...of("cachedInputPrice")} />
        <NumberInput
          label="Mark-up"
          description="On top of the price; without one, that of the installation."
          min={0}
          decimalScale={2}
          suffix="%"
          {...of("markupPercent")}
        />
      </Section>
    </Stack>
  );
}

interface SectionProps {
  readonly title: string;
  readonly about?: string;
  readonly children: ReactNode;
}

export const Section = ({ title, about, children }: SectionProps) => (
  <Card component="section" aria-label={title}>
    <Title order={2} mb={about ? 2 : "md"}>
      {title}
    </Title>
    {about && (
      <Text size="sm" c="dimmed" mb="md">
        {about}
      </Text>
    )}
    <SimpleGrid cols={{ base: 1, sm: 2 }} style={{ alignItems: "end" }}>
      {children}
    </SimpleGrid>
  </Card>
);
