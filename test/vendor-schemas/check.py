"""Holds what Farebox writes against the types of the vendors' own SDKs, more strictly than the SDKs do: no member that they do not
know, no value of another type. Reads a JSON array of [schema, text] from standard input, and writes an array that holds for each
of them the list of what is wrong, as [member, problem]. Shares no code with Farebox."""

import json
import sys
import typing
import warnings

# Members of requests are typed as iterables, which pydantic would only look into when somebody iterates. As lists they are checked.
typing.Iterable = typing.List

import pydantic  # noqa: E402
from anthropic.types import (  # noqa: E402
    ErrorResponse,
    Message,
    MessageTokensCount,
    ModelInfo,
    RawMessageStreamEvent,
    message_count_tokens_params,
    message_create_params,
)
from google.genai import _common, types as gemini  # noqa: E402
from anthropic.pagination import SyncPage as AnthropicPage  # noqa: E402
from openai.pagination import SyncPage as OpenAiPage  # noqa: E402
from openai.types import CreateEmbeddingResponse, Model, chat, embedding_create_params, responses, shared  # noqa: E402
from openai.types.chat import completion_create_params  # noqa: E402
from openai.types.responses import response_create_params  # noqa: E402


class OpenAiError(pydantic.BaseModel):
    """An error's body, which the SDK reads the member `error` of."""

    error: shared.ErrorObject


class GeminiRequest(pydantic.BaseModel):
    """The body of generateContent. The SDK has types for its members, and makes the body itself in code."""

    contents: typing.List[gemini.Content]
    systemInstruction: typing.Optional[gemini.Content] = None
    tools: typing.Optional[typing.List[gemini.Tool]] = None
    toolConfig: typing.Optional[gemini.ToolConfig] = None
    safetySettings: typing.Optional[typing.List[gemini.SafetySetting]] = None
    generationConfig: typing.Optional[gemini.GenerationConfig] = None
    cachedContent: typing.Optional[str] = None


class GeminiStatus(pydantic.BaseModel):
    """google.rpc.Status, as the SDK reads it out of an error's body in code."""

    code: int
    message: str
    status: str
    details: typing.Optional[typing.List[typing.Dict[str, typing.Any]]] = None


class GeminiError(pydantic.BaseModel):
    """An error's body."""

    error: GeminiStatus


# The SDK takes the values of enums in any case, and values that it does not know.
_common.CaseInSensitiveEnum._missing_ = classmethod(lambda cls, value: None)

SCHEMAS = {
    "chat answer": chat.ChatCompletion,
    "chat event": chat.ChatCompletionChunk,
    "chat error": OpenAiError,
    "chat request": completion_create_params.CompletionCreateParams,
    "messages answer": Message,
    "messages event": RawMessageStreamEvent,
    "messages error": ErrorResponse,
    "messages request": message_create_params.MessageCreateParams,
    "count answer": MessageTokensCount,
    "count request": message_count_tokens_params.MessageCountTokensParams,
    "responses answer": responses.Response,
    "responses event": responses.ResponseStreamEvent,
    "responses request": response_create_params.ResponseCreateParams,
    "embeddings answer": CreateEmbeddingResponse,
    "embeddings request": embedding_create_params.EmbeddingCreateParams,
    "openai model": Model,
    "openai models": OpenAiPage[Model],
    "anthropic model": ModelInfo,
    "anthropic models": AnthropicPage[ModelInfo],
    "gemini request": GeminiRequest,
    "gemini answer": gemini.GenerateContentResponse,
    "gemini event": gemini.GenerateContentResponse,
    "gemini error": GeminiError,
}
# Members whose value tells the members of a union apart.
KINDS = ("type", "role", "object")
adapters = {}


def problems(schema, text):
    if schema not in adapters:
        adapters[schema] = pydantic.TypeAdapter(SCHEMAS[schema])
    # The vendors' APIs know members by the names on the wire alone.
    try:
        adapters[schema].validate_json(text, strict=True, extra="forbid", by_alias=True, by_name=False)
        return []
    except pydantic.ValidationError as error:
        value = json.loads(text)
        found = [(problem["loc"], problem["type"], problem["msg"]) for problem in error.errors(include_url=False)]
        return sorted({(member, message) for member, message in likeliest(found, 0, value, "")})


def likeliest(found, depth, value, member):
    """Of a union pydantic tells what is wrong with each of its types. Only the one that was meant is of interest."""
    ended = [problem for problem in found if len(problem[0]) == depth]
    if ended:
        return [(member, ended[0][2])]
    groups = {}
    for problem in found:
        groups.setdefault(problem[0][depth], []).append(problem)
    wrong, types = [], []
    for name, inner in groups.items():
        if isinstance(value, list) and isinstance(name, int) and name < len(value):
            wrong += likeliest(inner, depth + 1, value[name], member + "[]")
        elif isinstance(value, dict) and name in value:
            wrong += likeliest(inner, depth + 1, value[name], f"{member}.{name}")
        elif isinstance(value, dict) and inner[0][1] == "missing" and len(inner[0][0]) == depth + 1:
            wrong.append((f"{member}.{name}", inner[0][2]))
        else:
            types.append(likeliest(inner, depth + 1, value, member))
    return wrong + (min(types, key=lambda one: unlikelihood(one, member)) if types else [])


def unlikelihood(wrong, member):
    """A type is not the one that was meant where the member that says so differs, or where it is no object."""
    is_other = any(at in {member, *(f"{member}.{kind}" for kind in KINDS)} for at, _ in wrong)
    return (is_other, len(wrong))


def main():
    warnings.simplefilter("ignore")
    cases = json.load(sys.stdin)
    json.dump([problems(schema, text) for schema, text in cases], sys.stdout)


main()
