import { PageHeader } from "../../components/page-header.tsx";
import { HubActions } from "./hub-actions.tsx";
import { ModelBrowser } from "./model-browser.tsx";

/** The public hub: no session is needed. */
export default function HubPage() {
  return (
    <>
      <PageHeader
        title="Models"
        about="Everything that can be called here, with one key and one address."
        actions={<HubActions />}
      />
      <ModelBrowser base="/model_hub_table" />
    </>
  );
}
