import { PageHeader } from "../../components/page-header.tsx";
import { ModelBrowser } from "./model-browser.tsx";

export default function ModelsPage() {
  return (
    <>
      <PageHeader title="Models" about="What you can call here, what it costs and what it can do." />
      <ModelBrowser base="/models" />
    </>
  );
}
