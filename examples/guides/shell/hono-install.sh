npm install @latchkey/hono hono @hono/node-server
npm install --save-dev @latchkey/service @latchkey/development
