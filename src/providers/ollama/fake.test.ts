import { describe } from "bun:test";
import { checkFake } from "../../../test/upstreams/fake-suite.ts";
import { fakeOllama } from "../../../test/upstreams/ollama.ts";
import { ollama } from "./provider.ts";

describe("the fake Ollama", () => checkFake(ollama, fakeOllama));
