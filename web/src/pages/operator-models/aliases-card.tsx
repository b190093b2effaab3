import { Table } from "@mantine/core";
import { ActionsHeader } from "../../components/actions-header.tsx";
import { AliasDialog } from "./alias-dialog.tsx";
import { KeptIn } from "./kept-in.tsx";
import { RuleActions } from "./rule-actions.tsx";
import { RulesCard } from "./rules-card.tsx";
import { aliasPath, useAliases } from "./use-rules.ts";

/** Other names of groups, and a way to set them. */
export function AliasesCard({ groups }: { groups: readonly string[] }) {
  const { data, error } = useAliases();
  return (
    <RulesCard
      title="Aliases"
      add="New alias"
      about="Other names that callers may use for a group. What is set here holds for the next call, in place of what the configuration file says of the same name."
      empty="No aliases yet. One lets callers keep a name while the model behind it changes."
      rules={data?.data}
      error={error}
      head={
        <Table.Tr>
          <Table.Th>Alias</Table.Th>
          <Table.Th>Stands for</Table.Th>
          <Table.Th visibleFrom="md">In lists of models</Table.Th>
          <Table.Th visibleFrom="sm">Kept in</Table.Th>
          <Table.Th>
            <ActionsHeader />
          </Table.Th>
        </Table.Tr>
      }
      row={(one, edit) => (
        <Table.Tr key={one.alias}>
          <Table.Td className="wraps">{one.alias}</Table.Td>
          <Table.Td className="wraps">{one.model}</Table.Td>
          <Table.Td visibleFrom="md">{one.hidden ? "hidden" : "shown"}</Table.Td>
          <Table.Td visibleFrom="sm">
            <KeptIn source={one.source} file={one.configured?.model ?? null} />
          </Table.Td>
          <Table.Td>
            <RuleActions
              name={one.alias}
              what="alias"
              path={aliasPath(one.alias)}
              source={one.source}
              isOverriding={one.configured !== null}
              onEdit={edit}
            />
          </Table.Td>
        </Table.Tr>
      )}
      dialog={(alias, close) => <AliasDialog alias={alias} groups={groups} onClose={close} />}
    />
  );
}
