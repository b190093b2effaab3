"""Anthropic's official Python client against a running gateway. Prints a line of JSON for each thing that it tried."""

import json
import sys

import anthropic

BASE, KEY, MODELS = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
client = anthropic.Anthropic(base_url=BASE, api_key=KEY, max_retries=0)
ECHOED = 'Echo of "hello", with ünïcode ✓.'
TOOLS = [
    {"name": name, "description": "Tells something.", "input_schema": {"type": "object", "properties": {}}}
    for name in ("get_weather", "get_time")
]


def say(words):
    return [{"role": "user", "content": words}]


def check(name, work):
    try:
        work()
        print(json.dumps({"name": name, "ok": True}), flush=True)
    except Exception as error:  # noqa: BLE001
        print(json.dumps({"name": name, "ok": False, "why": repr(error)[:500]}), flush=True)


def answers(model):
    message = client.messages.create(model=model, max_tokens=2000, messages=say("hello"))
    assert [block.text for block in message.content] == [ECHOED], message
    assert (message.stop_reason, message.usage.input_tokens, message.usage.output_tokens) == ("end_turn", 11, 6), message


def streams(model):
    with client.messages.stream(model=model, max_tokens=2000, messages=say("hello")) as stream:
        assert "".join(stream.text_stream) == ECHOED
        message = stream.get_final_message()
    assert (message.model, message.usage.input_tokens, message.usage.output_tokens) == (model, 11, 6), message


def calls_tools(model):
    asked = {"model": model, "max_tokens": 2000, "tools": TOOLS}
    with client.messages.stream(messages=say("both tools"), **asked) as stream:
        message = stream.get_final_message()
    assert [block.input for block in message.content] == [{"city": "Paris"}, {"zone": "Europe/Paris"}], message
    results = [{"type": "tool_result", "tool_use_id": block.id, "content": block.name} for block in message.content]
    turns = [*say("both tools"), {"role": "assistant", "content": message.content}, {"role": "user", "content": results}]
    answered = client.messages.create(messages=turns, **asked)
    assert "get_weather" in answered.content[0].text, answered


def thinks(model):
    thinking = {"type": "enabled", "budget_tokens": 1024}
    with client.messages.stream(model=model, max_tokens=2000, thinking=thinking, messages=say("think")) as stream:
        message = stream.get_final_message()
    assert [block.type for block in message.content] == ["thinking", "text"], message
    assert message.content[0].thinking == "Let me think.", message


def counts(model):
    counted = client.messages.count_tokens(model=model, messages=say("hello"), tools=TOOLS)
    assert counted.input_tokens > 5, counted


def fails(model):
    try:
        client.messages.create(model=model, max_tokens=1, messages=say("fail rate_limit"))
    except anthropic.RateLimitError as error:
        assert error.body["error"]["type"] == "rate_limit_error", error.body
        return
    raise AssertionError("nothing was raised")


def beta():
    other = anthropic.Anthropic(base_url=BASE + "/anthropic", auth_token=KEY, max_retries=0)
    message = other.beta.messages.create(
        model="anthropic", max_tokens=100, messages=say("hello"), betas=["context-1m-2025-08-07"]
    )
    assert message.content[0].text == ECHOED, message


for given in MODELS:
    works = [answers, streams, calls_tools, counts, fails] + ([thinks] if given["thinks"] else [])
    for work in works:
        check(f"{given['name']}: {work.__name__}", lambda work=work, given=given: work(given["name"]))
check("beta, under /anthropic, with a bearer token", beta)
