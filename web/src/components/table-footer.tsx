import { Group, Pagination, Select, Text } from "@mantine/core";
import type { Paged } from "../api/paged.ts";
import type { TableState } from "./use-table.ts";

interface TableFooterProps {
  readonly meta: Paged<unknown>["meta"];
  readonly size: string;
  readonly set: (changes: Partial<TableState>) => void;
}

/** How many there are, how many are shown, and the way to the others. */
export const TableFooter = ({ meta, size, set }: TableFooterProps) => (
  <Group justify="space-between" px={{ base: "xs", xs: "md" }} py="sm">
    <Text size="sm" c="dimmed" className="figures">
      {meta.total.toLocaleString()} in all
    </Text>
    <Group gap="sm">
      <Select
        size="xs"
        w={112}
        aria-label="Rows on a page"
        data={["20", "50", "100"].map((value) => ({ value, label: `${value} rows` }))}
        value={size}
        onChange={(value) => set({ size: value ?? "20" })}
        allowDeselect={false}
      />
      <Pagination
        size="sm"
        total={meta.totalPages}
        value={meta.page}
        onChange={(page) => set({ page: String(page) })}
        getControlProps={(control) => ({ "aria-label": CONTROLS[control] })}
        getItemProps={(page) => ({ "aria-label": `Page ${page}` })}
      />
    </Group>
  </Group>
);

const CONTROLS = { first: "First page", previous: "Page before", next: "Next page", last: "Last page" } as const;
