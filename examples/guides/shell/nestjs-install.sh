npx @nestjs/cli new shop
cd shop
npm install @latchkey/nestjs @latchkey/express
npm install --save-dev @latchkey/service @latchkey/development
