"""Google's official Python client against a running gateway. Prints a line of JSON for each thing that it tried."""

import json
import sys

from google import genai
from google.genai import errors, types

BASE, KEY, MODELS = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
client = genai.Client(api_key=KEY, http_options=types.HttpOptions(base_url=BASE))
ECHOED = 'Echo of "hello", with ünïcode ✓.'
TOOLS = [
    {
        "function_declarations": [
            {"name": name, "description": "Tells something.", "parameters_json_schema": {"type": "object", "properties": {}}}
            for name in ("get_weather", "get_time")
        ]
    }
]


def check(name, work):
    try:
        work()
        print(json.dumps({"name": name, "ok": True}), flush=True)
    except Exception as error:  # noqa: BLE001
        print(json.dumps({"name": name, "ok": False, "why": repr(error)[:500]}), flush=True)


def answers(model):
    answer = client.models.generate_content(model=model, contents="hello")
    assert (answer.text, answer.candidates[0].finish_reason) == (ECHOED, types.FinishReason.STOP), answer
    usage = answer.usage_metadata
    assert (usage.prompt_token_count, usage.candidates_token_count) == (11, 6), answer


def streams(model):
    pieces = list(client.models.generate_content_stream(model=model, contents="hello"))
    assert "".join(piece.text or "" for piece in pieces) == ECHOED, pieces
    assert pieces[-1].usage_metadata.total_token_count == 17, pieces[-1]


def calls_functions(model):
    config = {"tools": TOOLS, "automatic_function_calling": {"disable": True}}
    chat = client.chats.create(model=model, config=config)
    calls = [call for piece in chat.send_message_stream("both tools") for call in piece.function_calls or []]
    assert [call.args for call in calls] == [{"city": "Paris"}, {"zone": "Europe/Paris"}], calls
    results = [
        types.Part(function_response=types.FunctionResponse(id=call.id, name=call.name, response={"output": call.name}))
        for call in calls
    ]
    answer = chat.send_message(results)
    assert "get_weather" in answer.text, answer


def calls_by_itself(model):
    def get_weather(city: str) -> str:
        """Tells the weather of a city."""
        return f"fine in {city}"

    answer = client.models.generate_content(model=model, contents="use the tool", config={"tools": [get_weather]})
    assert "fine in Paris" in answer.text, answer


def thinks(model):
    config = {"thinking_config": {"thinking_budget": 1024, "include_thoughts": True}, "max_output_tokens": 9000}
    chat = client.chats.create(model=model, config=config)
    answer = chat.send_message("think")
    assert [part.text for part in answer.candidates[0].content.parts if part.thought] == ["Let me think."], answer
    assert answer.text == "Done thinking.", answer
    # What was sealed comes back as the client writes it.
    assert chat.send_message("hello").text == ECHOED


def counts(model):
    assert client.models.count_tokens(model=model, contents="hello").total_tokens > 0


def fails(model):
    try:
        client.models.generate_content(model=model, contents="fail rate_limit")
    except errors.ClientError as error:
        assert (error.code, error.status) == (429, "RESOURCE_EXHAUSTED"), error
        return
    raise AssertionError("nothing was raised")


def lists():
    names = [model.name for model in client.models.list(config={"page_size": 3})]
    assert f"models/{MODELS[0]['name']}" in names, names
    assert client.models.get(model=MODELS[0]["name"]).name == f"models/{MODELS[0]['name']}"


for given in MODELS:
    works = [answers, streams, calls_functions, calls_by_itself, counts, fails] + ([thinks] if given["thinks"] else [])
    for work in works:
        check(f"{given['name']}: {work.__name__}", lambda work=work, given=given: work(given["name"]))
check("lists and gets models", lists)
