/** An organization of a person who has just signed up, with credit and its first team. */
export interface NewOrganization {
  readonly organizationId: string;
  readonly teamId: string;
  /** The person's. */
  readonly token: string;
  /** Calls the platform's API; without a body it reads. */
  ask<T>(path: string, token: string, body?: unknown, method?: string): Promise<T>;
}

export async function newOrganization(url: string, master: string, amountUsd: string): Promise<NewOrganization> {
  const ask = async <T>(path: string, token: string, body?: unknown, method = "POST"): Promise<T> => {
    const response = await fetch(`${url}${path}`, {
      method: body === undefined ? "GET" : method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  };
  type Teams = { readonly data: readonly { readonly id: string; readonly organizationId: string }[] };
  const person = { email: "bench@example.com", password: "a good long one" };
  const { token } = await ask<{ readonly token: string }>("/api/auth/signup", "", person);
  const [team] = (await ask<Teams>("/api/gw/teams", token)).data;
  if (!team) throw new Error("a new organization has a team");
  const { id: teamId, organizationId } = team;
  await ask(`/api/admin/organizations/${organizationId}/credits`, master, { amountUsd, reason: "bench" });
  return { organizationId, teamId, token, ask };
}
