"""Calls models through Google's SDK for Python, and prints what came of it as JSON. Reads its wishes from standard input."""

import json
import sys

from google import genai
from google.genai import errors, types

wishes = json.load(sys.stdin)
http = types.HttpOptions(base_url=wishes["url"])


def client(key):
    return genai.Client(api_key=key, vertexai=False, http_options=http)


TOOL = types.Tool(
    function_declarations=[
        types.FunctionDeclaration(
            name="get_weather",
            parameters_json_schema={"type": "object", "properties": {"city": {"type": "string"}}},
        )
    ]
)
CONFIG = types.GenerateContentConfig(
    tools=[TOOL],
    automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
)


def round_trip(own, model):
    """A call of a tool in a streamed chat, whose history the SDK keeps, and the answer to its result."""
    chat = own.chats.create(model=model, config=CONFIG)
    calls = []
    for chunk in chat.send_message_stream("How is the weather?"):
        calls.extend(chunk.function_calls or [])
    results = [
        types.Part(
            function_response=types.FunctionResponse(id=call.id, name=call.name, response={"output": "sunny"})
        )
        for call in calls
    ]
    last = chat.send_message(results)
    return {"calls": [[call.name, call.args] for call in calls], "text": last.text}


def refusal(own, model, stream):
    try:
        if stream:
            for _ in own.models.generate_content_stream(model=model, contents="Hi"):
                pass
        else:
            own.models.generate_content(model=model, contents="Hi")
    except errors.APIError as error:
        return [error.code, error.status]
    return None


own = client(wishes["key"])
print(
    json.dumps(
        {
            "trips": {model: round_trip(own, model) for model in wishes["models"]},
            "texts": {model: own.models.generate_content(model=model, contents="Hi").text for model in wishes["models"]},
            "counts": {
                model: own.models.count_tokens(model=model, contents="Hi").total_tokens for model in wishes["models"]
            },
            "vectors": {
                model: [
                    len(one.values)
                    for one in own.models.embed_content(
                        model=model,
                        contents=["one", "two"],
                        config=types.EmbedContentConfig(task_type="CLUSTERING", output_dimensionality=3),
                    ).embeddings
                ]
                for model in wishes["embedding_models"]
            },
            "listed": sorted(model.name for model in own.models.list()),
            "refused": [
                refusal(client(wishes["wrong_key"]), wishes["models"][0], False),
                refusal(client(wishes["wrong_key"]), wishes["models"][0], True),
                refusal(own, "nobody", True),
            ],
        }
    )
)
