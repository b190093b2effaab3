import { ActionIcon, Button, FileButton, Group, Tooltip } from "@mantine/core";
import { IconPhoto, IconPlayerStop, IconSend, IconX } from "@tabler/icons-react";
import { useState } from "react";
import { MessageField } from "../../components/message-field.tsx";
import { notifyError } from "../../components/notify.ts";
import classes from "./playground.module.css";

interface ComposerProps {
  readonly isRunning: boolean;
  readonly isReady: boolean;
  readonly onSend: (text: string, images: readonly string[]) => void;
  readonly onStop: () => void;
}

const IMAGE_MAX = 8 * 1024 * 1024;

/** Where people write to models, with pictures. */
export function Composer({ isRunning, isReady, onSend, onStop }: ComposerProps) {
  const [text, setText] = useState("");
  const [images, setImages] = useState<readonly string[]>([]);
  const isEmpty = text.trim() === "" && images.length === 0;
  const send = (): void => {
    if (isEmpty || isRunning || !isReady) return;
    onSend(text, images);
    setText("");
    setImages([]);
  };
  const attach = async (files: File[]): Promise<void> => {
    const large = files.find(({ size }) => size > IMAGE_MAX);
    if (large) notifyError(new Error(`${large.name} is larger than 8 MB.`));
    const fitting = files.filter(({ size }) => size <= IMAGE_MAX);
    const read = await Promise.all(fitting.map(dataUrlOf));
    setImages((before) => [...before, ...read]);
  };
  return (
    <form
      className={classes.composer}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {images.length > 0 && (
        <Group gap="xs" mb="xs">
          {images.map((url, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: they are only added and taken away.
            <Group key={at} gap={4} align="flex-start">
              <img src={url} alt={`To be sent ${at + 1}`} className={classes.thumbnail} />
              <ActionIcon
                size="sm"
                variant="default"
                aria-label={`Take image ${at + 1} away`}
                onClick={() => setImages(images.filter((_, other) => other !== at))}
              >
                <IconX size={14} />
              </ActionIcon>
            </Group>
          ))}
        </Group>
      )}
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <FileButton
          onChange={(files) => void attach(files)}
          accept="image/png,image/jpeg,image/webp,image/gif"
          multiple
        >
          {(props) => (
            <Tooltip label="Attach images">
              <ActionIcon {...props} variant="default" size={36} aria-label="Attach images">
                <IconPhoto size={18} stroke={1.6} />
              </ActionIcon>
            </Tooltip>
          )}
        </FileButton>
        <MessageField value={text} placeholder="Write to the model" onChange={setText} onSend={send} />
        {isRunning ? (
          <Button variant="default" leftSection={<IconPlayerStop size={16} />} onClick={onStop}>
            Stop
          </Button>
        ) : (
          <Button type="submit" leftSection={<IconSend size={16} />} disabled={isEmpty || !isReady}>
            Send
          </Button>
        )}
      </Group>
    </form>
  );
}

const dataUrlOf = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error ?? new Error("The file could not be read."));
    reader.readAsDataURL(file);
  });
