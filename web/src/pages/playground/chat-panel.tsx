import { Box, Button, Card, Drawer, Group, SimpleGrid, Title } from "@mantine/core";
import { useDisclosure, useMediaQuery } from "@mantine/hooks";
import { IconAdjustments, IconEraser, IconPlus } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { faultOfTools } from "../../components/tools-json.ts";
import { useModelsOfKey } from "../../components/use-own-key.ts";
import { ChatColumn } from "./chat-column.tsx";
import { type ChatSettings, chatBody, PLAIN_SETTINGS } from "./chat-settings.ts";
import { CodeDialog } from "./code-dialog.tsx";
import { Composer } from "./composer.tsx";
import { messagesOf } from "./conversation.ts";
import { SettingsFields } from "./settings-fields.tsx";
import { useChat } from "./use-chat.ts";

interface ChatPanelProps {
  readonly keyId: string | null;
  /** Names of models, with commas between them, as the address bar has them. */
  readonly models: string;
  readonly onModels: (models: string) => void;
}

const COLUMNS_MAX = 4;

/** Chat with one model, or with several side by side. */
export function ChatPanel({ keyId, models, onModels }: ChatPanelProps) {
  const [settings, setSettings] = useState<ChatSettings>(PLAIN_SETTINGS);
  const chat = useChat(models === "" ? [""] : models.split(",").slice(0, COLUMNS_MAX), keyId, settings);
  const { columns } = chat;
  const known = useModelsOfKey(keyId, "chat").models;
  const isWide = useMediaQuery("(min-width: 75em)", true);
  const [isOpen, drawer] = useDisclosure();
  const chosen = columns.map(({ model }) => model).join(",");
  useEffect(() => onModels(chosen), [chosen, onModels]);
  const [first] = columns;
  const best = known[0]?.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once the models are known, the first one is there to be asked.
  useEffect(() => {
    if (first?.model === "" && best !== undefined) chat.setModel(first.id, best);
  }, [best]);
  useFollow(columns, chat.isRunning);
  const fields = (
    <SettingsFields settings={settings} onChange={(changes) => setSettings({ ...settings, ...changes })} />
  );
  const isReady = keyId !== null && columns.some(({ model }) => model !== "") && faultOfTools(settings.tools) === null;
  return (
    <Group align="flex-start" gap="lg" wrap="nowrap">
      <Box flex={1} miw={0}>
        <Group mb="sm" gap="xs">
          <Button
            mr="auto"
            variant="default"
            leftSection={<IconPlus size={16} />}
            disabled={columns.length >= COLUMNS_MAX}
            onClick={() => chat.add(known.find(({ id }) => !columns.some(({ model }) => model === id))?.id ?? "")}
          >
            Compare
          </Button>
          <Button
            variant="default"
            leftSection={<IconEraser size={16} />}
            disabled={columns.every(({ entries }) => entries.length === 0)}
            onClick={chat.clear}
          >
            Begin anew
          </Button>
          <CodeDialog
            call={() => ({
              kind: "chat",
              body: chatBody(
                first?.model ?? "",
                questionsOf(messagesOf(first?.entries ?? [], settings.system)),
                settings,
              ),
            })}
          />
          {!isWide && (
            <Button variant="default" leftSection={<IconAdjustments size={16} />} onClick={drawer.open}>
              Parameters
            </Button>
          )}
        </Group>
        <SimpleGrid cols={{ base: 1, sm: Math.min(2, columns.length), xl: columns.length }} spacing="md">
          {columns.map((column, at) => (
            <ChatColumn
              key={column.id}
              column={column}
              place={at + 1}
              models={known}
              onModel={(model) => chat.setModel(column.id, model)}
              onAgain={() => chat.again(column.id)}
              onTool={(callId, name, text) => chat.answerTool(column.id, callId, name, text)}
              onRemove={columns.length > 1 ? () => chat.remove(column.id) : undefined}
            />
          ))}
        </SimpleGrid>
        <Composer isRunning={chat.isRunning} isReady={isReady} onSend={chat.ask} onStop={chat.stop} />
      </Box>
      {isWide ? (
        <Card w={300} component="aside" aria-label="Parameters">
          <Title order={2} mb="sm">
            Parameters
          </Title>
          {fields}
        </Card>
      ) : (
        <Drawer
          opened={isOpen}
          onClose={drawer.close}
          title="Parameters"
          size="sm"
          closeButtonProps={{ "aria-label": "Close" }}
        >
          {fields}
        </Drawer>
      )}
    </Group>
  );
}

const NEAR_PX = 160;

/** Who reads the end of what comes in is kept there; who has scrolled up is left alone. */
function useFollow(columns: unknown, isRunning: boolean): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever something was said.
  useEffect(() => {
    const { scrollHeight } = document.documentElement;
    const below = scrollHeight - window.scrollY - window.innerHeight;
    if (isRunning && below > 0 && below < NEAR_PX) window.scrollTo({ top: scrollHeight });
  }, [columns]);
}

/** The request that was sent last: up to the last question, and with one where there is none yet. */
function questionsOf(messages: readonly Record<string, unknown>[]): readonly Record<string, unknown>[] {
  const last = messages.findLastIndex(({ role }) => role === "user" || role === "tool");
  return last < 0 ? [...messages, { role: "user", content: "Hello!" }] : messages.slice(0, last + 1);
}
