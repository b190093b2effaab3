import { expect, test } from "bun:test";
import { configOf, faultsOf, loadText } from "./load-text.ts";

const FILE = `general_settings:
  host: 10.0.0.1
  port: 5000
  data_dir: ./file
  database_url: os.environ/UNSET_AND_NOT_NEEDED
  redis_url: redis://file
  master_key: sk-file-0123456789
  admin_email: file@example.com
  admin_password: file-password
  demo: true
  secret: file-secret-0123456789
  log_level: info
`;

test("every TURNPIKE_ variable wins over the file", () => {
  const config = configOf(FILE, {
    TURNPIKE_HOST: "0.0.0.0",
    TURNPIKE_PORT: "6000",
    TURNPIKE_DATA_DIR: "/data",
    TURNPIKE_DATABASE_URL: "postgres://env",
    TURNPIKE_REDIS_URL: "rediss://env",
    TURNPIKE_MASTER_KEY: "sk-env-0123456789",
    TURNPIKE_ADMIN_EMAIL: "env@example.com",
    TURNPIKE_ADMIN_PASSWORD: "env-password",
    TURNPIKE_DEMO: "false",
    TURNPIKE_SECRET: "env-secret-0123456789",
    TURNPIKE_LOG_LEVEL: "DEBUG",
  });
  expect(config).toMatchObject({
    server: { host: "0.0.0.0", port: 6000, logLevel: "debug" },
    keys: { masterKey: "sk-env-0123456789", secret: "env-secret-0123456789" },
    dataDir: "/data",
    databaseUrl: "postgres://env",
    redisUrl: "rediss://env",
    admin: { email: "env@example.com", password: "env-password" },
    demo: false,
  });
});

test("an empty variable counts as not set", () => {
  expect(configOf("general_settings: {port: 5000}", { TURNPIKE_PORT: "", TURNPIKE_CONFIG: "" }).server.port).toBe(5000);
});

test("faults of variables are reported by their name, with those of the file", () => {
  const env = {
    TURNPIKE_PORT: "many",
    TURNPIKE_DEMO: "perhaps",
    TURNPIKE_MASTER_KEY: "short",
    TURNPIKE_LOG_LEVEL: "loud",
  };
  const faults = faultsOf(loadText("general_settings: {drain_timeout: long}", env));
  expect(faults.map(({ file, line, path, message }) => [file, line, path, message])).toEqual([
    ["a.yaml", 1, "general_settings.drain_timeout", "expected a number of 0 or more, found text"],
    ["environment", null, "TURNPIKE_PORT", "expected a whole number from 0 to 65535, found text"],
    ["environment", null, "TURNPIKE_LOG_LEVEL", "expected one of debug, info, warn, error"],
    [
      "environment",
      null,
      "TURNPIKE_MASTER_KEY",
      'must begin with sk- and have 16 characters or more; make one with: echo "sk-$(openssl rand -hex 24)"',
    ],
    ["environment", null, "TURNPIKE_DEMO", "expected true or false, found text"],
  ]);
});

test("environment_variables are seen by references, win over the process's, and build on each other", () => {
  const text = `environment_variables:
  A: from-file
  B: os.environ/A
  C: os.environ/C
  N: 12
general_settings: {host: os.environ/B, data_dir: os.environ/C, port: os.environ/N}
`;
  const env = { A: "from-process", C: "process-c" };
  const config = configOf(text, env);
  expect([config.server.host, config.dataDir, config.server.port]).toEqual(["from-file", "process-c", 12]);
  expect(env).toEqual({ A: "from-process", C: "process-c" });
});

test("a model whose key is not set is kept and warned about; any other unset variable is a fault", () => {
  const model = (param: string) => `model_list:
  - model_name: m
    litellm_params:
      model: openai/m
      ${param}
`;
  const keyless = loadText(model("api_key: os.environ/NOPE"));
  expect(keyless).toMatchObject({ ok: true, config: { deployments: [{ apiKey: null }] } });
  expect(keyless.warnings).toEqual([
    {
      file: "a.yaml",
      line: 5,
      column: 16,
      path: "model_list[0].litellm_params.api_key",
      message: "the environment variable NOPE is not set, or is empty; calls that need it will fail until it is set",
    },
  ]);
  expect(faultsOf(loadText(model("api_base: os.environ/NOPE"), { NOPE: "" }))).toMatchObject([
    { line: 5, column: 17, path: "model_list[0].litellm_params.api_base", message: expect.stringContaining("NOPE") },
  ]);
});

test("what is wrong in the file is told although a variable counts instead, and hinders nothing", () => {
  const loaded = loadText("general_settings:\n  port: many\n  log_level: loud\n", {
    TURNPIKE_PORT: "4001",
    TURNPIKE_LOG_LEVEL: "info",
  });
  expect(loaded.ok && loaded.config.server.port).toBe(4001);
  expect(loaded.warnings.map(({ line, column, path }) => [line, column, path])).toEqual([
    [2, 9, "general_settings.port"],
    [3, 14, "general_settings.log_level"],
  ]);
  expect(loaded.warnings[0]?.message).toEndWith("; `TURNPIKE_PORT` is set and counts instead");
});

test("no model at all is worth a word", () => {
  const loaded = loadText("general_settings:\n  demo: false\n");
  expect(loaded.warnings.map(({ path, message }) => [path, message])).toEqual([
    ["general_settings.demo", "is off and `model_list` is empty: nothing can be called until a model is added"],
  ]);
});

test("a variable that is almost one of ours is warned about; those of others are left alone", () => {
  const { warnings } = loadText("general_settings: {}", {
    TURNPIKE_DATBASE_URL: "postgres://env",
    TURNPIKE_LOGLEVEL: "debug",
    TURNPIKE_KEY: "sk-of-the-command-line",
    TURNPIKE_ROOT: "/opt",
    TURNPIKE_COLOUR_OF_THE_PAGES: "green",
    PORT: "80",
  });
  expect(warnings.map(({ path, message }) => [path, message])).toEqual([
    ["TURNPIKE_DATBASE_URL", "`TURNPIKE_DATBASE_URL` is no setting of Turnpike; did you mean `TURNPIKE_DATABASE_URL`?"],
    ["TURNPIKE_LOGLEVEL", "`TURNPIKE_LOGLEVEL` is no setting of Turnpike; did you mean `TURNPIKE_LOG_LEVEL`?"],
  ]);
});
