import { Card, Grid, Group, SimpleGrid, Skeleton, Stack, Table, Tabs, Text, Title } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { PlatformModel } from "../../../../src/contract/platform-models.ts";
import { pageFacts } from "../../api/page-facts.ts";
import { CodeBlock } from "../../components/code-block.tsx";
import { CopyButton } from "../../components/copy-button.tsx";
import { ErrorState } from "../../components/error-state.tsx";
import { KeyNote } from "../../components/key-note.tsx";
import { tellingPrices } from "../../components/model-prices.ts";
import { PageHeader } from "../../components/page-header.tsx";
import { Price } from "../../components/price.tsx";
import { StatCard } from "../../components/stat-card.tsx";
import { CapabilityBadges, StatusBadge } from "./badges.tsx";
import { examplesOf } from "./examples.ts";
import { useModel } from "./use-models.ts";
import { capabilitiesOf, statusOf, typeWords } from "./words.ts";

interface ModelDetailsProps {
  /** The page that lists models. */
  readonly base: string;
  readonly actions: (model: PlatformModel) => ReactNode;
}

/** Everything that is known of one model, with calls to copy. */
export function ModelDetails({ base, actions }: ModelDetailsProps) {
  const { _splat: id = "" } = useParams({ strict: false }) as { _splat?: string };
  const { data: model, error, refetch } = useModel(id);
  return (
    <>
      <PageHeader
        back={{ to: base, words: "All models" }}
        title={
          <>
            {id} <CopyButton value={id} label={`Copy the id ${id}`} />
          </>
        }
        tab={id}
        about={
          model
            ? `${typeWords(model.type)} by ${model.providerName}, where it is called ${model.inferenceModelId}.`
            : " "
        }
        actions={model && actions(model)}
      />
      {error && !model ? (
        <ErrorState
          error={error}
          title={error.status === 404 ? "There is no model of this name" : "The model could not be read"}
          {...(error.status === 404 ? {} : { onRetry: () => void refetch() })}
        />
      ) : model ? (
        <Known model={model} />
      ) : (
        <Skeleton height={420} />
      )}
    </>
  );
}

/** A count with its unit below; what is not known has none. */
const TokenCard = ({ label, count }: { label: string; count: number | null }) => (
  <StatCard label={label} value={count?.toLocaleString() ?? "not known"} note={count === null ? null : "tokens"} />
);

const Known = ({ model }: { model: PlatformModel }) => (
  <Stack gap="lg">
    <SimpleGrid cols={{ base: 2, xs: 3 }} spacing={{ base: "sm", sm: "md" }}>
      <TokenCard label="Context" count={model.contextLength} />
      <TokenCard label="Longest answer" count={model.maxOutputTokens} />
      <StatCard label="Status" value={<StatusBadge model={model} />} note={statusOf(model).about} />
    </SimpleGrid>
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, md: 7 }}>
        <Examples model={model} />
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 5 }}>
        <Stack gap="lg">
          <Prices model={model} />
          <Card component="section" aria-label="Capabilities">
            <Title order={2} mb="md">
              Capabilities
            </Title>
            {capabilitiesOf(model).length > 0 ? (
              <CapabilityBadges model={model} />
            ) : (
              <Text c="dimmed">None are known.</Text>
            )}
            {model.supportedParams.length > 0 && (
              <>
                <Text size="sm" c="dimmed" mt="md" mb={6}>
                  Parameters that it takes
                </Text>
                <Text size="sm" ff="monospace" className="wraps">
                  {model.supportedParams.join(", ")}
                </Text>
              </>
            )}
          </Card>
        </Stack>
      </Grid.Col>
    </Grid>
  </Stack>
);

const Prices = ({ model }: { model: PlatformModel }) => (
  <Card component="section" aria-label="Prices">
    <Title order={2} mb="sm">
      Prices
    </Title>
    {model.priceStatus === "free" ? (
      <Text>Free: calls of it cost nothing here.</Text>
    ) : model.pricing.length === 0 ? (
      <Text c="dimmed">Not known. Calls that are charged for are refused until somebody sets a price.</Text>
    ) : (
      <Table aria-label="Prices" horizontalSpacing={0} verticalSpacing="xs">
        <Table.Tbody>
          {tellingPrices(model).map((price) => (
            <Table.Tr key={price.label}>
              <Table.Td>{price.label}</Table.Td>
              <Table.Td ta="right">
                <Price price={price} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    )}
  </Card>
);

function Examples({ model }: { model: PlatformModel }) {
  const examples = examplesOf(model.type, model.id, { origin: window.location.origin, keyHeader: pageFacts.keyHeader });
  return (
    <Card component="section" aria-label="Examples">
      <Group justify="space-between" mb="xs">
        <Title order={2}>Examples</Title>
      </Group>
      <Tabs defaultValue={examples[0]?.language ?? "curl"} keepMounted={false}>
        <Tabs.List aria-label="Language">
          {examples.map(({ language }) => (
            <Tabs.Tab key={language} value={language}>
              {language}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {examples.map(({ language, code }) => (
          <Tabs.Panel key={language} value={language} pt="md">
            <CodeBlock code={code} />
          </Tabs.Panel>
        ))}
      </Tabs>
      <KeyNote />
    </Card>
  );
}
