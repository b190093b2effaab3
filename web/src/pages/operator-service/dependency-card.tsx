import { Badge, Card, Group, Skeleton, Text, Title } from "@mantine/core";
import { AppLink } from "../../components/app-link.tsx";

interface DependencyCardProps {
  readonly name: string;
  /** Undefined while it is looked at. */
  readonly isWell: boolean | undefined;
  /** It is well as far as anybody knows: nothing has asked anything of it. */
  readonly isUnused?: boolean;
  readonly text: string | undefined;
  readonly note?: string | undefined;
  readonly link?: { readonly to: string; readonly label: string };
}

/** One thing that the installation depends on. */
export const DependencyCard = ({ name, isWell, isUnused = false, text, note, link }: DependencyCardProps) => (
  <Card component="section" aria-label={name}>
    <Group justify="space-between" mb="xs">
      <Title order={2}>{name}</Title>
      {isWell === undefined ? (
        <Skeleton width={52} height={20} radius="xl" />
      ) : (
        <Badge variant="light" color={!isWell ? "red" : isUnused ? "gray" : "pine"} tt="none">
          {!isWell ? "look here" : isUnused ? "no calls yet" : "well"}
        </Badge>
      )}
    </Group>
    <Text mih={24}>{text ?? <Skeleton height={14} my={5} width="70%" />}</Text>
    <Text size="sm" c="dimmed" mih={22} className="wraps">
      {note}
    </Text>
    {link && (
      <AppLink to={link.to} size="sm" mt="xs">
        {link.label}
      </AppLink>
    )}
  </Card>
);
