import { Card, Code, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { CopyButton } from "../../components/copy-button.tsx";
import { Facts } from "../../components/facts.tsx";
import { formatPercent } from "../../components/format-percent.ts";
import { tellingPrices } from "../../components/model-prices.ts";
import { Price } from "../../components/price.tsx";
import { Time } from "../../components/time.tsx";
import { type AdminModel, pricedOf, SOURCES } from "./admin-model.ts";

const count = (value: number | null | undefined): string | undefined => value?.toLocaleString();

/** The same as the prices page has, one below the other. */
function pricesOf(model: AdminModel): readonly (readonly [string, ReactNode])[] {
  const prices = tellingPrices(pricedOf(model));
  if (prices.length === 0) return [["Price", "not known"]];
  return prices.map((price) => [price.label, <Price key={price.component} price={price} />]);
}

/** What a model is, wherever it is kept. */
export function ModelFacts({ model }: { model: AdminModel }) {
  const { params, info } = model;
  const named = (name: string): string | undefined =>
    params[name] === undefined || params[name] === null ? undefined : String(params[name]);
  const figure = (name: string): string | undefined =>
    typeof params[name] === "number" ? params[name].toLocaleString() : named(name);
  return (
    <Card component="section" aria-label="What it is">
      <Title order={2} mb="md">
        What it is
      </Title>
      <Facts
        items={[
          [
            "Id",
            <>
              <Code className="wraps">{model.id}</Code> <CopyButton value={model.id} label="Copy the id" />
            </>,
          ],
          ["Kept", SOURCES[model.source]],
          ["Provider", model.providerName ?? model.provider],
          ["Kind", model.type],
          ["Address", model.apiBase ?? undefined],
          ["Region", named("region_name")],
          ["Credential", named("litellm_credential_name")],
          ["Context", count(model.contextLength)],
          ["Longest answer", count(model.maxOutputTokens)],
          ["Order", figure("order")],
          ["Requests a minute", figure("rpm")],
          ["Tokens a minute", figure("tpm")],
          ...pricesOf(model),
          [
            "Mark-up",
            typeof info.markup_percent === "number" ? formatPercent(info.markup_percent / 100, 2) : undefined,
          ],
          ["Added", model.createdAt === null ? undefined : <Time key="at" at={model.createdAt} />],
        ]}
      />
    </Card>
  );
}
