npx @nestjs/cli new shop
cd shop
npm install @latchkey/nestjs @latchkey/express
