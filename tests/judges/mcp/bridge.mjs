// Serves over HTTP what a server says over its standard streams: the suite asks by HTTP alone.
//
// `bridge.mjs PORT COMMAND…` starts the command once a session, and passes messages as they are.
import { createServer } from "node:http";
import { randomUUID } from "node:crypto";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

// The packages are those of the folder that it is started in.
const packages = createRequire(`${process.cwd()}/`);
const sdk = (name) => import(pathToFileURL(packages.resolve(`@modelcontextprotocol/sdk/${name}.js`)));
const { StdioClientTransport } = await sdk("client/stdio");
const { StreamableHTTPServerTransport } = await sdk("server/streamableHttp");

const [port, command, ...args] = process.argv.slice(2);
const sessions = new Map();

async function opened() {
    const server = new StdioClientTransport({ command, args });
    const client = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (id) => sessions.set(id, client),
    });
    client.onmessage = (message) => server.send(message);
    server.onmessage = (message) => client.send(message).catch(() => {});
    client.onclose = () => server.close();
    await server.start();
    await client.start();
    return client;
}

createServer(async (request, response) => {
    const known = sessions.get(request.headers["mcp-session-id"]);
    await (known ?? (await opened())).handleRequest(request, response);
}).listen(Number(port), "127.0.0.1");
