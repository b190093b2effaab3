import { afterAll, describe, expect, test } from "bun:test";
import { MASTER_KEY, startApp } from "../app.ts";
import { clientOf, newCustomer } from "../assistants/clients.ts";
import { chat, create, request, resultsIn, whenOver } from "../batches/batch-files.ts";

/** What a request asks for besides its body holds for the calls that are made behind it, when it has long been answered. */
const app = await startApp(`
model_list:
  - model_name: placed
    litellm_params: { model: echo/chat, region_name: eu }
    model_info: { free: true }
  - model_name: vectors
    litellm_params: { model: echo/embedding, region_name: eu }
    model_info: { mode: embedding, free: true }
general_settings: { file_search_model: vectors }
`);
afterAll(() => app.close());
const { key, person } = await newCustomer(app);
const withHeaders = (defaultHeaders: Record<string, string>) => clientOf(app, key).withOptions({ defaultHeaders });

const HEADERS = {
  "x-gw-end-user-id": "customer-1",
  "x-gw-tags": "night",
  "x-gw-session-id": "session-1",
  "x-gw-spend-logs-metadata": '{"job":"7"}',
};

interface Row {
  readonly endpoint: string;
  readonly endUser: string | null;
  readonly tags: readonly string[];
  readonly metadata: Record<string, unknown>;
}

/** What the log has of the last call of an endpoint. */
async function logged(endpoint: string): Promise<Row | undefined> {
  await app.service.books.flush();
  const { body } = await person.send("GET", "/api/gw/logs?pageSize=100");
  return (body as { data: Row[] }).data.find((row) => row.endpoint === endpoint);
}

const WHOLE = {
  endUser: "customer-1",
  tags: ["night"],
  metadata: expect.objectContaining({ session_id: "session-1", spend_logs_metadata: { job: "7" } }),
};

describe("the headers of a request hold for", () => {
  test("the lines of a batch", async () => {
    const client = withHeaders(HEADERS);
    const { id } = await create(client, [request("a", chat("one", "placed"))]);
    expect((await whenOver(app, client, id)).request_counts?.completed).toBe(1);
    expect(await logged("/v1/batches")).toMatchObject(WHOLE);
  });

  test("the calls of a run, and of the search in its files", async () => {
    const client = withHeaders(HEADERS);
    const { assistants, threads } = client.beta;
    const { id } = await assistants.create({ model: "placed" });
    const thread = { messages: [{ role: "user" as const, content: "Hello!" }] };
    const run = await threads.createAndRunPoll({ assistant_id: id, thread }, { pollIntervalMs: 5 });
    expect(run.status).toBe("completed");
    expect(await logged("/v1/threads/{thread_id}/runs")).toMatchObject(WHOLE);
    const store = await client.vectorStores.create({ name: "notes" });
    await client.vectorStores.search(store.id, { query: "heron" });
    expect(await logged("/v1/vector_stores/{vector_store_id}/search")).toMatchObject(WHOLE);
  });
});

describe("a region that no deployment is in", () => {
  const client = withHeaders({ "x-gw-region": "us" });

  test("refuses the lines of a batch", async () => {
    const { id } = await create(client, [request("a", chat("one", "placed"))]);
    const { error_file_id } = await whenOver(app, client, id);
    const refused = (await resultsIn(client, error_file_id)).get("a");
    expect(refused?.response).toMatchObject({ status_code: 400 });
    expect(JSON.stringify(refused?.response?.body)).toContain("is in the region `us`");
  });

  test("fails a run", async () => {
    const { assistants, threads } = client.beta;
    const { id } = await assistants.create({ model: "placed" });
    const thread = { messages: [{ role: "user" as const, content: "Hello!" }] };
    const run = await threads.createAndRunPoll({ assistant_id: id, thread }, { pollIntervalMs: 5 });
    expect([run.status, run.last_error?.message]).toEqual(["failed", expect.stringContaining("is in the region `us`")]);
  });
});

test("an end user who is blocked gets no calls by way of a batch", async () => {
  const organization = (await person.send("GET", "/api/gw/organizations/list")).body as { data: { id: string }[] };
  const json = { user_ids: ["blocked-1"], organization_id: organization.data[0]?.id };
  expect((await app.call("/customer/block", { key: MASTER_KEY, json })).status).toBe(200);
  const client = withHeaders({ "x-gw-customer-id": "blocked-1" });
  const { id } = await create(client, [request("a", chat("one", "placed"))]);
  const { error_file_id } = await whenOver(app, client, id);
  expect((await resultsIn(client, error_file_id)).get("a")?.response?.status_code).toBe(403);
});
