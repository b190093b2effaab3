/** A field that a provider is reached with; its name is that of the model's parameter. */
export interface ProviderField {
  readonly name: string;
  readonly label: string;
  readonly isSecret?: boolean;
  readonly hint?: string;
}

const KEY: ProviderField = { name: "api_key", label: "API key", isSecret: true };
const ADDRESS: ProviderField = {
  name: "api_base",
  label: "Address",
  hint: "Only where it is not the provider's own, such as http://10.0.0.5:8000/v1.",
};
const OWN_ADDRESS: ProviderField = { ...ADDRESS, hint: "Of your resource, such as https://name.openai.azure.com." };
const VERSION: ProviderField = { name: "api_version", label: "API version" };

const AWS: readonly ProviderField[] = [
  { name: "aws_access_key_id", label: "Access key id", isSecret: true },
  { name: "aws_secret_access_key", label: "Secret access key", isSecret: true },
  { name: "aws_region_name", label: "Region", hint: "Such as eu-central-1." },
];
const VERTEX: readonly ProviderField[] = [
  { name: "vertex_project", label: "Project" },
  { name: "vertex_location", label: "Location", hint: "Such as europe-west1." },
  { name: "vertex_credentials", label: "Service account, as JSON", isSecret: true },
];

const SPECIAL: Readonly<Record<string, readonly ProviderField[]>> = {
  azure: [KEY, OWN_ADDRESS, VERSION],
  azure_ai: [KEY, OWN_ADDRESS, VERSION],
  bedrock: AWS,
  vertex_ai: VERTEX,
  vertex_ai_beta: VERTEX,
  echo: [],
};

/** What the form asks for, by the provider. */
export const fieldsOf = (provider: string): readonly ProviderField[] => SPECIAL[provider] ?? [KEY, ADDRESS];

/** Every field that any provider has: the form holds them all, and shows those of the chosen one. */
export const ALL_FIELDS: readonly ProviderField[] = [KEY, ADDRESS, VERSION, ...AWS, ...VERTEX];
