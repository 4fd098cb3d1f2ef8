"""Plays the gateway in front of three public servers, and prints what came.

`gateway.py GATEWAY APPROVALS NODE PACKAGES TIME` takes the two programs, node, the folder that has
the servers' packages, and the server of Python's. gateway.out beside it is the output.
"""

import asyncio
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

GATEWAY, APPROVALS, NODE, PACKAGES, TIME = sys.argv[1:]
FOLDER = Path(tempfile.mkdtemp())
BETWEEN = Path(__file__).with_name("between.py")


def server(name):
    return [NODE, f"{PACKAGES}/@modelcontextprotocol/server-{name}/dist/index.js"]


def config(name, text):
    path = FOLDER / f"{name}.toml"
    path.write_text(f'name = "{name}"\nledger = "{name}.db"\npins = "{name}.pins"\n{text}')
    return path


def told(what, text):
    """Prints it without what differs from run to run."""
    text = text.replace(str(FOLDER), "FOLDER")
    text = re.sub(r"apr_[0-9a-z]{26}", "apr_…", text)
    text = re.sub(r"(error id) [^ )]+", r"\1 …", text)
    print(f"{what}: {text}")


async def session(path, command, play):
    arguments = ["--config", str(path), "--", *command]
    started = StdioServerParameters(command=GATEWAY, args=arguments)
    with open(FOLDER / "said", "a") as said:
        async with stdio_client(started, errlog=said) as (read, write):
            async with ClientSession(read, write) as client:
                await client.initialize()
                await play(client)


async def call(client, name, arguments):
    result = (await client.call_tool(name, arguments)).model_dump(by_alias=True)
    text = "\n".join(part["text"] for part in result["content"])
    told(name, f"{'error: ' if result['isError'] else ''}{text}")
    return text


async def files():
    home = FOLDER / "files"
    home.mkdir()
    (home / "a.txt").write_text("alpha\n")
    command = [*server("filesystem"), str(home)]
    rules = """
        scopes = ["files:write"]
        [[rule]]
        tools = "read_*"
        effect = "read"
        [[rule]]
        tools = "list_*"
        effect = "read"
        [[rule]]
        tools = "write_file"
        effect = "write"
        scopes = ["files:write"]
        approval = true
    """
    path = config("files", rules)
    write = {"path": str(home / "b.txt"), "content": "beta\n"}

    async def first(client):
        names = [tool.name for tool in (await client.list_tools()).tools]
        told("tools", " ".join(names))
        await call(client, "files__read_text_file", {"path": str(home / "a.txt")})
        await call(client, "files__read_text_file", {"paht": str(home / "a.txt")})
        await call(client, "files__write_file", write)
        await call(client, "files__move_file", {"source": str(home / "a.txt"), "destination": str(home / "c.txt")})

    await session(path, command, first)
    told("files", " ".join(sorted(file.name for file in home.iterdir())))

    # A person agrees to the write, in another process; the same call then runs, once.
    desk = [APPROVALS, "--ledger", str(FOLDER / "files.db")]
    listed = subprocess.run([*desk, "list"], capture_output=True, text=True, check=True).stdout
    ids = re.findall(r"(apr_[0-9a-z]{26})[^\n]*write_file", listed)
    told("parked writes", str(len(ids)))
    subprocess.run([*desk, "approve", ids[0], "--by", "kim"], capture_output=True, text=True, check=True)

    async def second(client):
        for _ in range(2):
            await call(client, "files__write_file", write)

    await session(path, command, second)
    told("files", " ".join(sorted(file.name for file in home.iterdir())))

    # The same, rehearsed; and without the scope.
    dry = rules.replace("scopes = [", "dry_run = true\n        scopes = [", 1).replace("approval = true", "")
    other = {**write, "path": str(home / "d.txt")}

    async def rehearsed(client):
        await call(client, "dry__write_file", other)

    await session(config("dry", dry), command, rehearsed)
    unscoped = rules.replace('scopes = ["files:write"]', "", 1)

    async def hidden(client):
        names = [tool.name for tool in (await client.list_tools()).tools]
        told("tools without the scope", " ".join(name for name in names if "write" in name))

    await session(config("guest", unscoped), command, hidden)
    told("files", " ".join(sorted(file.name for file in home.iterdir())))


async def memory():
    path = config("memory", f"""
        env = {{ MEMORY_FILE_PATH = "{FOLDER}/memory.json" }}
        [[rule]]
        tools = "read_*"
        effect = "read"
        [[rule]]
        tools = "*_nodes"
        effect = "read"
        [[rule]]
        tools = "create_*"
        effect = "write"
    """)
    ann = {"name": "Ann", "entityType": "person", "observations": ["likes tea"]}

    async def play(client):
        for _ in range(2):
            await call(client, "memory__create_entities", {"entities": [ann]})
        await call(client, "memory__search_nodes", {"query": "tea"})
        await call(client, "memory__delete_entities", {"entityNames": ["Ann"]})

    await session(path, server("memory"), play)


async def time():
    path = config("time", '[[rule]]\ntools = "*"\neffect = "read"\n')

    async def play(client):
        noon = {"source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Tokyo"}
        text = (await client.call_tool("time__convert_time", noon)).content[0].text
        told("time__convert_time", re.search(r'"time_difference":\s*"[^"]*"', text)[0])
        await call(client, "time__convert_time", {"source_timezone": "UTC"})

    await session(path, [TIME], play)

    # What the server shows is not what was approved: it is off.
    pins = FOLDER / "time.pins"
    pins.write_text(re.sub(r"^\S+( convert_time) .*$", "0" * 64 + r"\1", pins.read_text(), flags=re.M))

    async def changed(client):
        told("tools", " ".join(tool.name for tool in (await client.list_tools()).tools))

    await session(path, [TIME], changed)

    # Pins that can not be read approve nothing, and stay as they are.
    for damaged in [b"\xff\xfe", b"not a digest\n"]:
        pins.write_bytes(damaged)
        started = [GATEWAY, "--config", str(path), "--", TIME]
        ended = subprocess.run(started, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        told(f"with damaged pins {ended.returncode}", ended.stderr.strip())
        told("pins are the same", str(pins.read_bytes() == damaged))


async def wrong():
    """The real server of files, which goes wrong: each way, and what is left of it."""
    for how in ["poisoned", "changed", "dies"]:
        home = FOLDER / how
        home.mkdir()
        command = [sys.executable, str(BETWEEN), how, "write_file", *server("filesystem"), str(home)]
        rules = f'env = {{ CALLS = "{FOLDER}/calls" }}\n[[rule]]\ntools = "*_file"\neffect = "write"\n'
        path = config(how, rules)
        write = {"path": str(home / "b.txt"), "content": "beta\n"}

        async def play(client):
            names = [tool.name for tool in (await client.list_tools()).tools]
            told("write tools", " ".join(name for name in names if "write" in name))
            if f"{how}__write_file" in names:
                await call(client, f"{how}__write_file", write)

        # The second time is another process of all of them.
        for _ in range(2):
            await session(path, command, play)
        told(f"{how}, files", " ".join(sorted(file.name for file in home.iterdir())))
    for line in (FOLDER / "calls").read_text().splitlines():
        told("sent", line)


async def main():
    await files()
    await memory()
    await time()
    await wrong()
    for line in (FOLDER / "said").read_text().splitlines():
        if line.startswith("mcp_gateway"):
            told("said", line)


asyncio.run(main())
