"""The participant's side of secure aggregation; the same steps, and the same bytes, as in the TypeScript SDK."""
