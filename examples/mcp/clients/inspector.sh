npx @modelcontextprotocol/inspector --transport http --server-url http://localhost:3000/mcp
