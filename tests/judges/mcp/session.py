"""Plays one session with an MCP server by the official Python client, and prints what came.

The lines are the same ones that session.mjs prints: session.out beside it is both their output.
"""

import asyncio
import json
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

try:
    from mcp import MCPError
except ImportError:
    from mcp import McpError as MCPError


def plain(value):
    """Numbers as the other client has them: there is one kind."""
    if isinstance(value, dict):
        return {name: plain(inner) for name, inner in value.items()}
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def told(what, value):
    value = plain(value)
    print(f"{what}: {json.dumps(value, sort_keys=True, ensure_ascii=False)}")


async def call(session, name, arguments):
    try:
        result = await session.call_tool(name, arguments)
    except MCPError as error:
        told(name, {"code": error.error.code if hasattr(error, "error") else error.code, "message": str(error)})
        return
    result = result.model_dump(by_alias=True, exclude_none=True)
    text = "\n".join(part["text"] for part in result["content"])
    shown = {"isError": bool(result.get("isError")), "text": text}
    if "structuredContent" in result:
        shown["structured"] = result["structuredContent"]
    told(name, shown)


async def ask(context, params):
    from mcp.types import ElicitResult

    told("asked", params.message)
    return ElicitResult(action="accept", content={"approve": True})


async def play(read, write):
    async with ClientSession(read, write, elicitation_callback=ask) as session:
        opened = await session.initialize()
        info = opened.model_dump(by_alias=True)["serverInfo"]
        told("server", {"name": info["name"], "version": info["version"]})
        listed = await session.list_tools()
        for tool in listed.tools:
            tool = tool.model_dump(by_alias=True, exclude_none=True)
            told("tool", {"name": tool["name"], "hints": tool["annotations"], "output": "outputSchema" in tool})
        await call(session, "list_orders", {})
        await call(session, "get_order", {"order_id": "O-1001"})
        await call(session, "get_order", {"order": 1001})
        await call(session, "get_order", {"order_id": "O-9"})
        await call(session, "close_account", {})
        refund = {"order_id": "O-1002", "amount": 600}
        await call(session, "refund_order", refund)
        await call(session, "refund_order", refund)


async def main():
    if sys.argv[1] == "--http":
        import httpx2

        client = httpx2.AsyncClient(headers={"Authorization": "Bearer clerk-token"})
        async with streamable_http_client(sys.argv[2], http_client=client) as streams:
            await play(streams[0], streams[1])
    else:
        server = StdioServerParameters(command=sys.argv[1], args=sys.argv[2:])
        async with stdio_client(server) as (read, write):
            await play(read, write)


asyncio.run(main())
