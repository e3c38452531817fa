npm install @latchkey/fastify fastify
