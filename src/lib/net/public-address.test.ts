import { expect, test } from "bun:test";
import { isPrivateUrl } from "./public-address.ts";

test.each([
  "http://127.0.0.1:8000/v1",
  "http://localhost:11434",
  "http://10.1.2.3/v1",
  "http://[::1]:8000",
  "http://[fd00::1]/v1",
  "http://ollama:11434",
  "http://vllm.models.svc.cluster.local/v1",
  "https://gpu.lan",
  "http://host.docker.internal:8000",
])("%s is private", (url) => expect(isPrivateUrl(url)).toBe(true));

test.each([
  "https://api.openai.com/v1",
  "http://8.8.8.8/v1",
  "https://[2606:4700::1111]/",
  "https://local.example.com",
  "no address",
])("%s is not", (url) => expect(isPrivateUrl(url)).toBe(false));
