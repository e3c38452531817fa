claude mcp add --transport http notes http://localhost:3000/mcp
