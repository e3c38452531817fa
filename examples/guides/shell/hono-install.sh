npm install @latchkey/hono hono @hono/node-server
