import { Button, Menu } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { type Query, withQuery } from "../../api/client.ts";
import { viewerZone } from "../../components/format-time.ts";
import { exactUsd } from "../../components/format-usd.ts";
import { saveFile } from "../../components/save-file.ts";
import type { UsageRow } from "../../components/usage-report.ts";
import type { UsageGroup } from "./groups.ts";

interface ExportMenuProps {
  readonly rows: readonly UsageRow[];
  readonly group: UsageGroup;
  readonly asked: Query;
}

/** What is on the page as a file, or every single call behind it, as the server reads them. */
export function ExportMenu({ rows, group, asked }: ExportMenuProps) {
  const calls = (format: string) => withQuery("/api/gw/logs/export", { ...asked, tz: viewerZone(), format });
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <Button variant="default" leftSection={<IconDownload size={16} />}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          disabled={rows.length === 0}
          onClick={() => saveFile(new Blob([csvOf(rows, group)], { type: "text/csv" }), `usage-by-${group.value}.csv`)}
        >
          This table as CSV
        </Menu.Item>
        <Menu.Item component="a" href={calls("csv")} download>
          All calls as CSV
        </Menu.Item>
        <Menu.Item component="a" href={calls("jsonl")} download>
          All calls as JSON lines
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

const FIGURES = ["requests", "failedRequests", "promptTokens", "completionTokens", "cachedTokens"] as const;

function csvOf(rows: readonly UsageRow[], group: UsageGroup): string {
  const known = FIGURES.filter((name) => rows.some((row) => row[name] !== undefined));
  const head = [group.value, "id", ...known, "costNanoUsd", "costUsd"];
  const lines = rows.map((row) => [
    group.nameOf(row),
    group.idOf(row),
    ...known.map((name) => String(row[name] ?? 0)),
    String(row.cost),
    exactUsd(row.cost).replace(/[$,]/g, ""),
  ]);
  return [head, ...lines].map((cells) => `${cells.map(cellOf).join(",")}\r\n`).join("");
}

/** A cell that a spreadsheet would run gets an apostrophe. */
function cellOf(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) && !/^-?[\d.]+$/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
