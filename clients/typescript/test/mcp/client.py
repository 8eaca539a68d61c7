"""What a Python program does with Cairn over MCP; prints one JSON object."""

import asyncio
import json
import os
import sys

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client


async def uses(client: Client) -> dict[str, object]:
    tools = await client.list_tools()
    source = f"def {sys.argv[2]}(value):\n    return value\n"
    file = {"path": f"{sys.argv[2]}.py", "content": source}
    stored = await client.call_tool("upload", {"task": sys.argv[2].replace("_", " "), "file": file})
    found = await client.call_tool("search", {"task": sys.argv[2].replace("_", " "), "top_k": 100})
    wrong = await client.call_tool("vote", {"code_block_id": "nope"})
    skill = await client.read_resource("cairn://skill.md")
    return {
        "tools": sorted(tool.name for tool in tools.tools),
        "stored": stored.content[0].text,
        "found": found.content[0].text,
        "wrong": wrong.is_error,
        "skill": skill.contents[0].text,
    }


async def main() -> None:
    if sys.argv[1] == "http":
        headers = {"authorization": f"Bearer {os.environ['CAIRN_API_KEY']}"}
        async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
            transport = streamable_http_client(f"{os.environ['CAIRN_BASE_URL']}/mcp", http_client=http)
            async with Client(transport, mode=sys.argv[3]) as client:
                print(json.dumps(await uses(client)))
    else:
        server = StdioServerParameters(command=sys.argv[4], args=sys.argv[5:], env=dict(os.environ))
        async with Client(server, mode=sys.argv[3]) as client:
            print(json.dumps(await uses(client)))


asyncio.run(main())
