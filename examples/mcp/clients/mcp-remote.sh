npx mcp-remote http://localhost:3000/mcp 3334 --client-metadata-url https://agent.example/mcp-remote.json
