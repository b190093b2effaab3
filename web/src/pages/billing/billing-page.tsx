import { Stack, Tabs } from "@mantine/core";
import { useSearchState } from "../../app/use-search-state.ts";
import { PageHeader } from "../../components/page-header.tsx";
import { useMaySee, useOrganization } from "../../session/session.ts";
import { BlockedNotice } from "./blocked-notice.tsx";
import { BuyTab } from "./buy-tab.tsx";
import { LedgerTab } from "./ledger-tab.tsx";
import { PurchaseNotice } from "./purchase-notice.tsx";
import { PurchasesTab } from "./purchases-tab.tsx";
import { QuotaCards } from "./quota-cards.tsx";
import { SettingsTab } from "./settings-tab.tsx";
import { StatementsTab } from "./statements-tab.tsx";

const STATE = { tab: "", purchase: "", sort: "" };
const TABS = [
  { value: "buy", label: "Buy credits", forAll: false, content: <BuyTab /> },
  { value: "purchases", label: "Purchases", forAll: false, content: <PurchasesTab /> },
  { value: "ledger", label: "Ledger", forAll: true, content: <LedgerTab /> },
  { value: "statements", label: "Statements", forAll: false, content: <StatementsTab /> },
  { value: "settings", label: "Top-up and alerts", forAll: false, content: <SettingsTab /> },
] as const;

/** The organization's credit. Members see it; owners and admins buy and decide. */
export default function BillingPage() {
  const mayDecide = useMaySee()("organization");
  const isInvoiced = useOrganization()?.billing === "invoiced";
  const [{ tab, purchase }, set] = useSearchState(STATE);
  const tabs = TABS.filter(({ forAll }) => forAll || mayDecide);
  const chosen = tabs.find(({ value }) => value === tab) ?? tabs[0];
  return (
    <>
      <PageHeader
        title="Billing"
        about={
          isInvoiced
            ? "Calls are invoiced and need no credit; the balance tells what is owed."
            : mayDecide
              ? "Credit is bought ahead and belongs to the organization; calls are paid from it."
              : "Credit belongs to the organization. Its owners and admins buy it; here is what moved it."
        }
      />
      <Stack gap="lg">
        {purchase !== "" && mayDecide && <PurchaseNotice id={purchase} onClose={() => set({ purchase: "" })} />}
        <BlockedNotice mayBuy={mayDecide} />
        <QuotaCards />
        <Tabs
          value={chosen?.value ?? null}
          onChange={(value) => set({ tab: value ?? "", sort: "" })}
          keepMounted={false}
        >
          <Tabs.List mb="lg" aria-label="Parts of billing">
            {tabs.map(({ value, label }) => (
              <Tabs.Tab key={value} value={value}>
                {label}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {tabs.map(({ value, content }) => (
            <Tabs.Panel key={value} value={value}>
              {content}
            </Tabs.Panel>
          ))}
        </Tabs>
      </Stack>
    </>
  );
}
