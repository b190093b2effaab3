import { afterAll, expect, test } from "bun:test";
import { ADMIN, startPlace } from "./command-line.ts";

/** More than a page of any list has. */
const MANY = 101;
const place = await startPlace(
  {},
  `
general_settings: { api_reads_per_minute: 0, api_writes_per_minute: 0 }
model_list:
${Array.from({ length: MANY }, (_, n) => `  - { model_name: group-${n}, litellm_params: { model: echo/chat, mock_response: "${n}" } }`).join("\n")}
`,
);
afterAll(() => place.close());

test("what is named is found behind the first page, too", async () => {
  const ann = place.person();
  await ann.signUp("ann@example.com");
  const { token } = JSON.parse(await Bun.file(`${ann.home}/.config/turnpike/credentials.json`).text()).default;
  const post = async (path: string, json: object): Promise<{ readonly id: string }> => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const response = await fetch(`${place.url}${path}`, { method: "POST", headers, body: JSON.stringify(json) });
    expect(response.status).toBe(201);
    return (await response.json()) as { id: string };
  };
  const { id: teamId } = await post("/api/gw/teams", { name: "red" });
  // Whatever the order of a list is, the first or the last one stands behind its first page.
  const names = ["n", ...Array.from({ length: MANY }, (_, at) => `nm${at}`), "m"];
  for (const name of names) await post("/api/gw/api-keys", { name, teamId });
  for (const name of ["n", "m"]) {
    expect((await ann.json<{ name: string }>(["keys", "show", name])).name).toBe(name);
  }

  const root = place.person();
  await root.run(["login", "--email", ADMIN.email, "--password-stdin"], { stdin: ADMIN.password });
  for (const group of ["group-0", `group-${MANY - 1}`]) {
    const { out } = await root.run(["admin", "deployments", "list", "--group", group, "--quiet"]);
    const id = out.trim();
    expect((await root.json<{ id: string }>(["admin", "deployments", "enable", id.slice(0, 12)])).id).toBe(id);
  }
}, 120_000);
