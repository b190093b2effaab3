import { Table } from "@mantine/core";
import { ActionsHeader } from "../../components/actions-header.tsx";
import { FallbackDialog } from "./fallback-dialog.tsx";
import { KeptIn } from "./kept-in.tsx";
import { RuleActions } from "./rule-actions.tsx";
import { RulesCard } from "./rules-card.tsx";
import { fallbackPath, groupName, useFallbacks, WHEN } from "./use-rules.ts";

/** Who stands in for whom, and a way to set it. */
export function FallbacksCard({ groups }: { groups: readonly string[] }) {
  const { data, error } = useFallbacks();
  return (
    <RulesCard
      title="Fallbacks"
      add="New fallback"
      about="Who is asked when a group fails, in their order. What is set here holds for the next call, in place of what the configuration file says of the same group."
      empty="No fallbacks yet. With one, callers get an answer while a group is down."
      rules={data?.data}
      error={error}
      head={
        <Table.Tr>
          <Table.Th>Group</Table.Th>
          <Table.Th visibleFrom="md">When</Table.Th>
          <Table.Th>Stand in</Table.Th>
          <Table.Th visibleFrom="sm">Kept in</Table.Th>
          <Table.Th>
            <ActionsHeader />
          </Table.Th>
        </Table.Tr>
      }
      row={(one, edit) => (
        <Table.Tr key={`${one.kind} ${one.group}`}>
          <Table.Td className="wraps">{groupName(one.group)}</Table.Td>
          <Table.Td visibleFrom="md">{WHEN[one.kind]}</Table.Td>
          <Table.Td className="wraps">{inWords(one.targets)}</Table.Td>
          <Table.Td visibleFrom="sm">
            <KeptIn source={one.source} file={one.configured && inWords(one.configured)} />
          </Table.Td>
          <Table.Td>
            <RuleActions
              name={`${groupName(one.group)}, when ${WHEN[one.kind]}`}
              what="fallback of"
              path={fallbackPath(one)}
              source={one.source}
              isOverriding={one.configured !== null}
              onEdit={edit}
            />
          </Table.Td>
        </Table.Tr>
      )}
      dialog={(fallback, close) => <FallbackDialog fallback={fallback} groups={groups} onClose={close} />}
    />
  );
}

const inWords = (targets: readonly string[]): string => targets.join(", then ") || "nobody";
