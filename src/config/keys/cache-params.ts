import { keyTable } from "./key-table.ts";

/** `litellm_settings.cache_params`. */
export const CACHE_PARAMS = keyTable({
  served: `
    type mode ttl namespace scope supported_call_types max_size_mb max_entry_kb hit_price_percent
    similarity_threshold embedding_model redis_semantic_cache_embedding_model charge_embeddings
    url host port password db`,
  known: `
    default_in_memory_ttl default_in_redis_ttl max_connections username redis_startup_nodes redis_flush_size
    service_name sentinel_nodes sentinel_password gcp_service_account gcp_ssl_ca_certs redis_semantic_cache_index_name
    qdrant_api_base qdrant_api_key qdrant_collection_name qdrant_quantization_config qdrant_semantic_cache_embedding_model
    s3_bucket_name s3_region_name s3_api_version s3_path s3_use_ssl s3_verify s3_endpoint_url s3_aws_access_key_id
    s3_aws_secret_access_key s3_aws_session_token gcs_bucket_name gcs_path_service_account gcs_path disk_cache_dir
    azure_account_url azure_blob_container`,
  concealing: { ssl: "write `url: rediss://...` for a connection that nobody can read" },
});
