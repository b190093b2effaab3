import { Button, Menu } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { type Query, withQuery } from "../api/client.ts";

/** A log as a file, with the filters of the page: the server writes it, however long it is. */
export const ExportLogMenu = ({ path, filter }: { path: string; filter: Query }) => (
  <Menu position="bottom-end">
    <Menu.Target>
      <Button variant="default" leftSection={<IconDownload size={16} />}>
        Export
      </Button>
    </Menu.Target>
    <Menu.Dropdown>
      {(["csv", "jsonl"] as const).map((format) => (
        <Menu.Item key={format} component="a" href={withQuery(path, { ...filter, format })} download>
          {format === "csv" ? "CSV" : "JSON, one a line"}
        </Menu.Item>
      ))}
    </Menu.Dropdown>
  </Menu>
);
