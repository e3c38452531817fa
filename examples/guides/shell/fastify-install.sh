npm install @latchkey/fastify fastify
npm install --save-dev @latchkey/service @latchkey/development
