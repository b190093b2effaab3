import { expect, test } from "bun:test";
import { namesIn } from "./update-names.ts";

const SOURCES = {
  proxyTypes: `class Other(Base):
    hidden: str

class ConfigGeneralSettings(Base):
    """
    Documents: all
    """

    master_key: str | None = Field(None)
    new_setting: int = Field(
        None,
    )

class Next(Base):
    later: str
`,
  proxy: `if general_settings.get("read_elsewhere", False) or general_settings["and_here"]:
    other: int = 1
`,
  module: `drop_params = flag()
cache: Optional["Cache"] = None
openai_models: Set = set()
def f():
    inner: int = 1
_private: int = 1
`,
  routerTypes: `class UpdateRouterConfig(Base):
    """
    Params.
    """

    num_retries: int | None = None

    model_config = ConfigDict()

def later():
    x: int = 1
`,
};

test("the names of LiteLLM's settings are read from its sources", () => {
  expect(namesIn(SOURCES)).toEqual({
    general_settings: ["and_here", "master_key", "new_setting", "read_elsewhere"],
    litellm_settings: ["cache", "drop_params"],
    router_settings: ["num_retries"],
  });
});

test("sources of another shape are an error, not an empty list", () => {
  expect(() => namesIn({ ...SOURCES, routerTypes: "" })).toThrow("LiteLLM's sources have changed");
});
