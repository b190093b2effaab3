import { shownCarrier } from "./credential-headers.ts";

/** What an agent has to know to help itself here, in the form in which agents load skills: a heading of fields, then Markdown. */
export function buildAgentSkill(publicUrl: string, keyHeaders: readonly string[]): string {
  const carrier = shownCarrier({ headers: keyHeaders });
  const keyHeader = carrier === "authorization" ? "Authorization: Bearer $KEY" : `${carrier}: $KEY`;
  return `---
name: turnpike
description: Call models through the Turnpike gateway at ${publicUrl}, and manage its teams, API keys, credit and usage logs.
---

# Turnpike

Base address of the models: \`${publicUrl}/v1\` (OpenAI's interface). Base address of the management: \`${publicUrl}/api\`.
Every operation with its fields: \`${publicUrl}/openapi.json\`; in one line each: \`${publicUrl}/llms.txt\`.

## What can be called

No sign-in needed. \`search\`, \`type\` and \`provider\` narrow it; prices are nano-USD for a million tokens.

\`\`\`sh
curl -s "${publicUrl}/api/models?type=chat"
\`\`\`

## Call a model

With an API key, which begins with \`sk-\`:

\`\`\`sh
curl -s ${publicUrl}/v1/chat/completions -H "${keyHeader}" -H "Content-Type: application/json" \\
  -d '{"model": "MODEL", "messages": [{"role": "user", "content": "Hello!"}]}'
\`\`\`

## Manage

Sign in for a token (24 hours; \`POST /api/auth/token/refresh\` gives the next), and send it with every call under \`/api\`:

\`\`\`sh
curl -s ${publicUrl}/api/auth/token -H "Content-Type: application/json" -d '{"email": "EMAIL", "password": "PASSWORD"}'
curl -s ${publicUrl}/api/gw/teams -H "Authorization: Bearer $TOKEN"
curl -s ${publicUrl}/api/gw/api-keys -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\
  -d '{"name": "NAME", "team_id": "TEAM"}'
curl -s ${publicUrl}/api/balance -H "Authorization: Bearer $TOKEN"
curl -s "${publicUrl}/api/gw/logs?startDate=2026-01-31" -H "Authorization: Bearer $TOKEN"
\`\`\`

- A new key is shown once, as \`token\`: keep it where secrets are kept, never in a log or an answer.
- Amounts are integer nano-USD: 1 USD is 1,000,000,000.
- Lists are \`{data, meta: {page, pageSize, total, totalPages}}\`; \`page\` counts from 1, \`pageSize\` is at most 100; \`sort\` names a field, with a dash in front from the largest down.

## When a call is refused

| Told | What to do |
|---|---|
| 401 | the key or token is missing, wrong or has ended |
| \`QUOTA_EXCEEDED\`, \`TEAM_BLOCKED\` | credit or a budget is used up: ask a person to buy credits (\`POST /api/billing/checkout\`); do not try again |
| 429 with \`Retry-After\` | wait that many seconds |
| 404 \`model_not_found\` | name one of \`GET /api/models\` |
| 5xx | try again a little later; quote \`x-request-id\` to whoever runs the server |
`;
}
