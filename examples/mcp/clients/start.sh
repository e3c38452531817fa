npx pnpm --filter example-mcp start
