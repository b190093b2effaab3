"""Assistants, threads, runs, files, vector stores and responses with the official client. One line of JSON for each check."""

import json
import sys

from openai import AssistantEventHandler, BadRequestError, NotFoundError, OpenAI

url, key = sys.argv[1:3]
client = OpenAI(base_url=url, api_key=key, max_retries=0)
WEATHER = {"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object"}}}


def text_of(message):
    return message.content[0].text.value


def user(content):
    return {"role": "user", "content": content}


def polls():
    assistant = client.beta.assistants.create(model="echo", instructions="Be kind.")
    thread = client.beta.threads.create(messages=[user("Hello!")])
    run = client.beta.threads.runs.create_and_poll(thread_id=thread.id, assistant_id=assistant.id, poll_interval_ms=20)
    assert run.status == "completed", run
    assert run.usage.total_tokens > 0
    messages = list(client.beta.threads.messages.list(thread.id, limit=1))
    assert [text_of(message) for message in messages] == ["You said: Hello!", "Hello!"]
    again = client.beta.threads.create_and_run_poll(
        assistant_id=assistant.id, thread={"messages": [user("Once more")]}, poll_interval_ms=20
    )
    assert again.status == "completed"


def streams_and_calls_functions():
    assistant = client.beta.assistants.create(model="echo", tools=[WEATHER])
    thread = client.beta.threads.create(messages=[user("get weather")])
    with client.beta.threads.runs.stream(thread_id=thread.id, assistant_id=assistant.id) as stream:
        stream.until_done()
        run = stream.current_run
    assert run.status == "requires_action", run
    calls = run.required_action.submit_tool_outputs.tool_calls
    outputs = [{"tool_call_id": call.id, "output": "sunny"} for call in calls]
    said = []

    class Handler(AssistantEventHandler):
        def on_text_delta(self, delta, snapshot):
            said.append(delta.value or "")

    with client.beta.threads.runs.submit_tool_outputs_stream(
        thread_id=thread.id, run_id=run.id, tool_outputs=outputs, event_handler=Handler()
    ) as stream:
        stream.until_done()
    assert "sunny" in "".join(said), said
    steps = list(client.beta.threads.runs.steps.list(run_id=run.id, thread_id=thread.id, order="asc"))
    assert [step.type for step in steps] == ["tool_calls", "message_creation"]


def searches_files():
    store = client.vector_stores.create(name="Python")
    content = b"# Kitchen\n\nThe kettle is descaled with vinegar."
    read = client.vector_stores.files.upload_and_poll(
        vector_store_id=store.id, file=("kitchen.md", content), poll_interval_ms=20
    )
    assert read.status == "completed", read
    batch = client.vector_stores.file_batches.upload_and_poll(
        vector_store_id=store.id, files=[("a.txt", b"one"), ("b.txt", b"two")], poll_interval_ms=20
    )
    assert batch.file_counts.completed == 2, batch
    best = client.vector_stores.search(vector_store_id=store.id, query="descale the kettle").data[0]
    assert best.filename == "kitchen.md", best
    assert client.files.content(read.id).read() == content
    assistant = client.beta.assistants.create(
        model="echo",
        tools=[{"type": "file_search"}],
        tool_resources={"file_search": {"vector_store_ids": [store.id]}},
    )
    run = client.beta.threads.create_and_run_poll(
        assistant_id=assistant.id, thread={"messages": [user("file search: the kettle")]}, poll_interval_ms=20
    )
    assert run.status == "completed", run
    answer = client.beta.threads.messages.list(run.thread_id, run_id=run.id).data[0]
    assert answer.content[0].text.annotations[0].type == "file_citation", answer
    assert client.files.delete(read.id).deleted
    assert client.vector_stores.delete(store.id).deleted


def responds():
    first = client.responses.create(model="echo", input="Hello!", instructions="Be kind.")
    assert first.output_text == "You said: Hello!", first
    with client.responses.stream(model="echo", input="Again", previous_response_id=first.id) as stream:
        said = "".join(event.delta for event in stream if event.type == "response.output_text.delta")
        whole = stream.get_final_response()
    assert said == whole.output_text == "You said: Again", (said, whole)
    assert whole.usage.input_tokens > first.usage.input_tokens
    items = client.responses.input_items.list(whole.id)
    assert [(item.role, [part.text for part in item.content]) for item in items] == [("user", ["Again"])]
    client.responses.delete(first.id)
    try:
        client.responses.create(model="echo", input="x", previous_response_id=whole.id)
    except NotFoundError:
        return
    raise AssertionError("it went on from what is gone")


def converses():
    conversation = client.conversations.create(items=[{"type": "message", "role": "user", "content": "Hello!"}], metadata={"a": "b"})
    answer = client.responses.create(model="echo", input="Again", conversation=conversation.id)
    assert answer.conversation.id == conversation.id, answer
    items = list(client.conversations.items.list(conversation.id, order="asc", limit=1))
    assert [item.content[0].text for item in items] == ["Hello!", "Again", "You said: Again"], items
    client.conversations.items.delete(items[0].id, conversation_id=conversation.id)
    assert client.conversations.items.retrieve(items[1].id, conversation_id=conversation.id).content[0].text == "Again"
    assert client.conversations.update(conversation.id, metadata={"a": "c"}).metadata == {"a": "c"}
    assert client.conversations.delete(conversation.id).deleted


def sees_refusals():
    for call, kind in [
        (lambda: client.beta.assistants.retrieve("asst_none"), NotFoundError),
        (lambda: client.beta.assistants.create(model="echo", tools=[{"type": "code_interpreter"}]), BadRequestError),
    ]:
        try:
            call()
        except kind:
            continue
        raise AssertionError("it was not refused")


for check in [polls, streams_and_calls_functions, searches_files, responds, converses, sees_refusals]:
    try:
        check()
        print(json.dumps({"name": check.__name__, "ok": True}))
    except Exception as error:  # every check is told, whatever becomes of the others
        print(json.dumps({"name": check.__name__, "ok": False, "why": repr(error)[:500]}))
