#!/usr/bin/env python3
"""The providers' own packages over the requests that toolkit writes.

Reads lines from standard input, {"kind": ..., "value": ...}, and has each value read by
the types that the provider publishes. Prints how many were read, by kind, and every one
that was refused; fails where there is any, or where a kind is missing.

The types of requests are `TypedDict`s: pydantic takes keys that they do not have, so
those of the parts that toolkit writes are looked up here.
"""

import json
import sys
from collections import Counter
from typing import get_args, get_type_hints

from anthropic.types import MessageParam, ToolParam, message_create_params
from google.genai import types as gemini
from mcp import types as mcp
from openai.types.chat import ChatCompletionFunctionToolParam, completion_create_params
from openai.types.responses import FunctionToolParam, response_create_params
from openai.types.shared_params import FunctionDefinition
from pydantic import TypeAdapter

MOST_SHOWN = 10


def known(kind, value, what):
    kinds = get_args(kind) or (kind,)
    unknown = sorted(set(value) - {key for kind in kinds for key in get_type_hints(kind)})
    if unknown:
        raise ValueError(f"{what} has no {', '.join(unknown)}")


ANTHROPIC = TypeAdapter(message_create_params.MessageCreateParamsNonStreaming)


def anthropic(body):
    known(message_create_params.MessageCreateParamsNonStreaming, body, "a request")
    for tool in body.get("tools", []):
        if tool.get("type", "custom") == "custom":
            known(ToolParam, tool, "a tool")
    for message in body["messages"]:
        known(MessageParam, message, "a message")
    ANTHROPIC.validate_python(body)


CHAT = TypeAdapter(completion_create_params.CompletionCreateParamsNonStreaming)


def openai_chat(body):
    known(completion_create_params.CompletionCreateParamsNonStreaming, body, "a request")
    for tool in body.get("tools", []):
        known(ChatCompletionFunctionToolParam, tool, "a tool")
        known(FunctionDefinition, tool["function"], "a function")
    CHAT.validate_python(body)


RESPONSES = TypeAdapter(response_create_params.ResponseCreateParamsNonStreaming)


def openai_responses(body):
    known(response_create_params.ResponseCreateParamsNonStreaming, body, "a request")
    for tool in body.get("tools", []):
        if tool["type"] == "function":
            known(FunctionToolParam, tool, "a tool")
            missing = {"name", "parameters", "strict", "type"} - set(tool)
            if missing:
                raise ValueError(f"a tool lacks {', '.join(sorted(missing))}")
    RESPONSES.validate_python(body)


def gemini_body(body):
    body = dict(body)
    for content in body.pop("contents"):
        gemini.Content.model_validate(content)
    for tool in body.pop("tools", []):
        gemini.Tool.model_validate(tool)
    if "toolConfig" in body:
        gemini.ToolConfig.model_validate(body.pop("toolConfig"))
    if "systemInstruction" in body:
        gemini.Content.model_validate(body.pop("systemInstruction"))
    gemini.GenerationConfig.model_validate(body.pop("generationConfig"))
    if body:
        raise ValueError(f"a request has no {', '.join(body)}")


def mcp_tools(result):
    mcp.ListToolsResult.model_validate(result)


def mcp_message(message):
    if "method" in message:
        mcp.CallToolRequest.model_validate({k: v for k, v in message.items() if k in ("method", "params")})
    elif "error" in message:
        mcp.ErrorData.model_validate(message["error"])
    else:
        mcp.CallToolResult.model_validate(message["result"])
    TypeAdapter(mcp.JSONRPCMessage).validate_python(message)


READERS = {
    "anthropic": anthropic,
    "openai_chat": openai_chat,
    "openai_responses": openai_responses,
    "gemini": gemini_body,
    "mcp_tools": mcp_tools,
    "mcp_message": mcp_message,
}


def main():
    counts, refused = Counter(), []
    for line in sys.stdin:
        told = json.loads(line)
        kind, value = told["kind"], told["value"]
        counts[kind] += 1
        try:
            READERS[kind](value)
        except Exception as error:  # whatever a package says, it is a refusal
            refused.append(f"{kind}: {error}\n  {json.dumps(value)[:2000]}")
    for kind in READERS:
        print(f"{kind}: {counts[kind]} read")
    for told in refused[:MOST_SHOWN]:
        print(told)
    missing = [kind for kind in READERS if not counts[kind]]
    if missing:
        print(f"nothing was written of: {', '.join(missing)}")
    if refused or missing:
        print(f"{len(refused)} refused")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
