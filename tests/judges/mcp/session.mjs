// Plays one session with an MCP server by the official TypeScript client, and prints what came.
//
// The lines are the same ones that session.py prints: session.out beside it is both their output.

import { pathToFileURL } from "node:url";

// The packages lie where `.ci/mcp` puts them.
const sdk = (path) => import(pathToFileURL(`${process.cwd()}/node_modules/@modelcontextprotocol/sdk/dist/esm/${path}`));
const { Client } = await sdk("client/index.js");
const { StdioClientTransport } = await sdk("client/stdio.js");
const { StreamableHTTPClientTransport } = await sdk("client/streamableHttp.js");
const { ElicitRequestSchema } = await sdk("types.js");

// As Python's `json.dumps(…, sort_keys=True)` writes it.
function written(value) {
  if (Array.isArray(value)) return `[${value.map(written).join(", ")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const fields = Object.keys(value).sort().map((name) => `${JSON.stringify(name)}: ${written(value[name])}`);
  return `{${fields.join(", ")}}`;
}

const told = (what, value) => console.log(`${what}: ${written(value)}`);

const client = new Client({ name: "judge", version: "1" }, { capabilities: { elicitation: {} } });
client.setRequestHandler(ElicitRequestSchema, (request) => {
  told("asked", request.params.message);
  return { action: "accept", content: { approve: true } };
});

async function call(name, args) {
  let result;
  try {
    result = await client.callTool({ name, arguments: args });
  } catch (error) {
    told(name, { code: error.code, message: error.message.replace(/^MCP error -?\d+: /, "") });
    return;
  }
  const shown = { isError: result.isError === true, text: result.content.map((part) => part.text).join("\n") };
  if (result.structuredContent !== undefined) shown.structured = result.structuredContent;
  told(name, shown);
}

const [first, ...rest] = process.argv.slice(2);
const headers = { Authorization: "Bearer clerk-token" };
const transport =
  first === "--http"
    ? new StreamableHTTPClientTransport(new URL(rest[0]), { requestInit: { headers } })
    : new StdioClientTransport({ command: first, args: rest });
await client.connect(transport);

const { name, version } = client.getServerVersion();
told("server", { name, version });
for (const tool of (await client.listTools()).tools) {
  told("tool", { name: tool.name, hints: tool.annotations, output: tool.outputSchema !== undefined });
}
await call("list_orders", {});
await call("get_order", { order_id: "O-1001" });
await call("get_order", { order: 1001 });
await call("get_order", { order_id: "O-9" });
await call("close_account", {});
const refund = { order_id: "O-1002", amount: 600 };
await call("refund_order", refund);
await call("refund_order", refund);
await client.close();
