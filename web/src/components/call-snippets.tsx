import { Tabs } from "@mantine/core";
import { type CodeCall, type CodeLanguage, codeOf } from "./call-code.ts";
import { CodeBlock } from "./code-block.tsx";
import { KeyNote } from "./key-note.tsx";

const LANGUAGES: readonly CodeLanguage[] = ["curl", "Python", "TypeScript"];

/** A call of a model in three languages, ready to be copied. */
export const CallSnippets = ({ call }: { call: CodeCall }) => (
  <Tabs defaultValue="curl" keepMounted={false}>
    <Tabs.List mb="sm">
      {LANGUAGES.map((language) => (
        <Tabs.Tab key={language} value={language}>
          {language}
        </Tabs.Tab>
      ))}
    </Tabs.List>
    {LANGUAGES.map((language) => (
      <Tabs.Panel key={language} value={language}>
        <CodeBlock code={codeOf(language, call, window.location.origin)} label={`Copy the ${language} code`} />
      </Tabs.Panel>
    ))}
    {call.apiKey === undefined && <KeyNote />}
  </Tabs>
);
