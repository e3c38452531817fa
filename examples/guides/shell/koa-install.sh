npm install @latchkey/koa koa @koa/router
