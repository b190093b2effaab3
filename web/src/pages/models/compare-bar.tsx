import { Affix, Button, Group, Paper, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { CompareDialog } from "./compare-dialog.tsx";
import { COMPARED_MAX, type Compared } from "./model-table-state.ts";

/** At the foot of the window while models are chosen. */
export function CompareBar({ compared }: { compared: Compared }) {
  const [isOpen, dialog] = useDisclosure();
  if (compared.ids.length === 0) return null;
  return (
    <>
      <Affix position={{ bottom: 16, left: 0, right: 0 }} zIndex={90}>
        <Paper
          component="section"
          aria-label="Comparison"
          shadow="md"
          withBorder
          radius="lg"
          p="sm"
          maw={560}
          mx="auto"
        >
          <Group justify="space-between" px="xs">
            <Text size="sm">
              {compared.ids.length} of {COMPARED_MAX} chosen
            </Text>
            <Group gap="sm">
              <Button size="xs" variant="default" onClick={compared.clear}>
                Clear
              </Button>
              <Button size="xs" onClick={dialog.open} disabled={compared.ids.length < 2}>
                Compare
              </Button>
            </Group>
          </Group>
        </Paper>
      </Affix>
      <CompareDialog ids={compared.ids} opened={isOpen} onClose={dialog.close} />
    </>
  );
}
