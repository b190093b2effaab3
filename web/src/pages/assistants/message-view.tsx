import { Badge, Group, Stack, Text } from "@mantine/core";
import { memo } from "react";
import speech from "../../components/speech.module.css";
import { SpokenText } from "../../components/spoken-text.tsx";
import { Time } from "../../components/time.tsx";
import { isoOf } from "../../components/unix-time.ts";
import type { Assistant, Message, MessagePart } from "./records.ts";

interface MessageViewProps {
  readonly message: Message & { readonly assistant_id?: string | null };
  readonly names: readonly Assistant[];
}

/** What somebody said: plain text, whatever is in it. */
export const MessageView = memo(function MessageView({ message, names }: MessageViewProps) {
  const text = message.content.map(textOf).join("\n");
  if (message.role === "user") return <Question text={text} />;
  const name = names.find(({ id }) => id === message.assistant_id)?.name ?? "Assistant";
  const sources = sourcesOf(message);
  return (
    <Stack gap={6}>
      <Text size="xs" c="dimmed">
        {name} · <Time at={isoOf(message.created_at)} as="ago" />
      </Text>
      <Text component="div" className={speech.text}>
        <SpokenText text={withNames(text)} />
      </Text>
      {(sources.length > 0 || message.status === "incomplete") && (
        <Group gap={6}>
          {sources.map((source) => (
            <Badge key={source} color="pine">
              {source}
            </Badge>
          ))}
          {message.status === "incomplete" && <Badge color="yellow">cut off</Badge>}
        </Group>
      )}
    </Stack>
  );
});

export const Question = ({ text }: { text: string }) => (
  <div className={speech.question}>
    <Text component="div" className={speech.text}>
      <SpokenText text={text} />
    </Text>
  </div>
);

/** What is being said right now. */
export const LiveView = ({ texts }: { texts: readonly { readonly id: string; readonly text: string }[] }) =>
  (texts.length === 0 ? [{ id: "waiting", text: "" }] : texts).map(({ id, text }) => (
    <Text key={id} component="div" className={`${speech.text} ${speech.caret}`}>
      <SpokenText text={withNames(text)} />
    </Text>
  ));

function textOf({ text, image_url, image_file }: MessagePart): string {
  if (text) return text.value ?? "";
  if (image_url) return `[picture ${image_url.url}]`;
  return image_file ? `[picture ${image_file.file_id}]` : "";
}

/** Marks of citations as people read them: `[notes.md]`. */
const withNames = (text: string): string => text.replace(/【\d+:\d+†([^】]*)】/g, "[$1]");

/** The files that were cited; each mark names its own: `【0:1†notes.md】`. */
function sourcesOf({ content }: Message): readonly string[] {
  const marks = content.flatMap(({ text }) => text?.annotations ?? []).filter(({ file_citation }) => file_citation);
  return [...new Set(marks.map(({ text }) => /†(.+)】/.exec(text)?.[1] ?? text))];
}
