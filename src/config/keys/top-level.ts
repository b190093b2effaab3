import { keyTable } from "./key-table.ts";

export const TOP_LEVEL = keyTable({
  served: `
    include environment_variables credential_list model_list guardrails
    litellm_settings gateway_settings router_settings general_settings`,
  known: `
    prompts mcp_servers mcp_tools vector_store_registry search_tools
    agent_list worker_registry assistant_settings files_settings finetune_settings default_vertex_config
    callback_settings`,
  protecting: {
    policies: "`default_on: true` of a guardrail covers every call, and keys and teams name theirs",
    policy_attachments: "`default_on: true` of a guardrail covers every call, and keys and teams name theirs",
  },
});

export const MODEL_ENTRY = keyTable({ served: "model_name litellm_params model_info" });

export const CREDENTIAL_ENTRY = keyTable({ served: "credential_name credential_values credential_info" });
