"""The official Python client against a running gateway: one JSON line for each guarantee that was tried."""

import base64
import io
import json
import sys
import traceback
import warnings

from openai import (
    APIError,
    AuthenticationError,
    BadRequestError,
    InternalServerError,
    NotFoundError,
    OpenAI,
    RateLimitError,
)
from pydantic import BaseModel

BASE_URL, API_KEY, DIALECTS = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
client = OpenAI(base_url=BASE_URL, api_key=API_KEY, max_retries=0)

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": name,
            "description": "A tool.",
            "parameters": {"type": "object", "properties": {field: {"type": "string"}}, "required": [field]},
        },
    }
    for name, field in (("get_weather", "city"), ("get_time", "zone"))
]


class City(BaseModel):
    city: str
    population: int


def say(text):
    return [{"role": "user", "content": text}]


def answers(model):
    answer = client.chat.completions.create(model=model, messages=say("hello"))
    assert answer.model == model, answer.model
    assert "hello" in answer.choices[0].message.content
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens


def streams(model):
    stream = client.chat.completions.create(
        model=model, messages=say("hello"), stream=True, stream_options={"include_usage": True}
    )
    text, usage = "", None
    for chunk in stream:
        if chunk.choices:
            text += chunk.choices[0].delta.content or ""
        usage = chunk.usage or usage
    assert "hello" in text, text
    assert usage.total_tokens > 0


def calls_tools(model):
    asked = say("both tools")
    first = client.chat.completions.create(model=model, messages=asked, tools=TOOLS)
    message = first.choices[0].message
    assert [call.function.name for call in message.tool_calls] == ["get_weather", "get_time"]
    assert json.loads(message.tool_calls[0].function.arguments) == {"city": "Paris"}
    results = [{"role": "tool", "tool_call_id": call.id, "content": "fine"} for call in message.tool_calls]
    second = client.chat.completions.create(model=model, messages=[*asked, message, *results], tools=TOOLS)
    assert "fine and fine" in second.choices[0].message.content


def streams_tools(model):
    with client.chat.completions.stream(model=model, messages=say("both tools"), tools=TOOLS) as stream:
        for _ in stream:
            pass
        final = stream.get_final_completion()
    assert len(final.choices[0].message.tool_calls) == 2


def parses(model):
    answer = client.chat.completions.parse(model=model, messages=say("as json"), response_format=City)
    assert answer.choices[0].message.parsed == City(city="Paris", population=2100000)


def raises(model):
    for text, kind in (
        ("fail bad_request", BadRequestError),
        ("fail not_found", NotFoundError),
        ("fail rate_limit", RateLimitError),
        ("fail auth", InternalServerError),
        ("fail server_error", InternalServerError),
    ):
        try:
            client.chat.completions.create(model=model, messages=say(text))
            raise AssertionError(f"{text} did not fail")
        except kind:
            pass


def breaks(model):
    try:
        for _ in client.chat.completions.create(model=model, messages=say("cut"), stream=True):
            pass
    except APIError:
        return
    raise AssertionError("a cut stream looked whole")


def completes(model):
    plain = client.completions.create(model=model, prompt="hello").choices[0].text
    streamed = "".join(chunk.choices[0].text for chunk in client.completions.create(model=model, prompt="hello", stream=True))
    assert plain == streamed and "hello" in plain


def embeds(model):
    answer = client.embeddings.create(model=model, input=["a", "bb"])
    assert [round(one.embedding[1]) for one in answer.data] == [1, 2], answer.data


def everything_else():
    models = client.models.list().data
    assert any(model.id == "echo" for model in models)
    assert client.models.retrieve("echo").id == "echo"
    image = client.images.generate(model="echo-image", prompt="a hill", size="256x256")
    assert image.data[0].b64_json
    sound = client.audio.speech.create(model="echo-speech", input="good morning", voice="alloy", response_format="wav").read()
    file = io.BytesIO(sound)
    file.name = "speech.wav"
    assert client.audio.transcriptions.create(model="echo-transcription", file=file).text == "good morning"
    named = ("speech.wav", sound, "audio/wav")
    with warnings.catch_warnings():
        # The client's own word on it: OpenAI lets it go, others do not.
        warnings.simplefilter("ignore", DeprecationWarning)
        assert client.audio.translations.create(model="echo-transcription", file=named).text == "good morning"
    picture = ("hill.png", base64.b64decode(image.data[0].b64_json), "image/png")
    edited = client.images.edit(model="echo-image", image=[picture, picture], mask=picture, prompt="a lake", n=2)
    assert len(edited.data) == 2
    assert client.moderations.create(model="echo-moderation", input="hello").results[0].flagged is False
    try:
        OpenAI(base_url=BASE_URL, api_key="sk-nobody", max_retries=0).models.list()
        raise AssertionError("a stranger was let in")
    except AuthenticationError:
        pass


def attempt(name, work, *arguments):
    try:
        work(*arguments)
        print(json.dumps({"name": name, "ok": True}))
    except Exception:
        print(json.dumps({"name": name, "ok": False, "why": traceback.format_exc(limit=-3)}))


for dialect in DIALECTS:
    for work in (answers, streams, calls_tools, streams_tools, parses, raises, breaks, completes):
        attempt(f"{dialect['name']} {work.__name__}", work, dialect["name"])
    if dialect.get("embedding"):
        attempt(f"{dialect['name']} embeds", embeds, dialect["embedding"])
attempt("everything else", everything_else)
