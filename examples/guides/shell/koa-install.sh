npm install @latchkey/koa koa @koa/router
npm install --save-dev @latchkey/service @latchkey/development
