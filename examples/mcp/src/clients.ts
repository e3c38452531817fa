/** The text to paste into each client, for an MCP server at a URL. */
export function clientSettings(url: string): Readonly<Record<string, string>> {
  return {
    'Claude Code': `claude mcp add --transport http notes ${url}`,
    '.vscode/mcp.json': JSON.stringify({ servers: { notes: { type: 'http', url } } }),
    '.cursor/mcp.json': JSON.stringify({ mcpServers: { notes: { url } } }),
    'MCP Inspector': `npx @modelcontextprotocol/inspector --transport http --server-url ${url}`,
  }
}
