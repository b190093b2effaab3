import { Tabs } from "@mantine/core";
import { pageFacts } from "../api/page-facts.ts";
import { type CodeCall, type CodeLanguage, codeOf } from "./call-code.ts";
import { CodeBlock } from "./code-block.tsx";
import { KeyNote } from "./key-note.tsx";

const LANGUAGES: readonly CodeLanguage[] = ["curl", "Python", "TypeScript"];

interface CallSnippetsProps {
  readonly call: CodeCall;
  /** The key itself where it is at hand. */
  readonly apiKey?: string;
}

/** A call of a model in three languages, ready to be copied. */
export const CallSnippets = ({ call, apiKey }: CallSnippetsProps) => (
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
        <CodeBlock
          code={codeOf(language, call, { origin: window.location.origin, keyHeader: pageFacts.keyHeader, apiKey })}
          label={`Copy the ${language} code`}
        />
      </Tabs.Panel>
    ))}
    {apiKey === undefined && <KeyNote />}
  </Tabs>
);
