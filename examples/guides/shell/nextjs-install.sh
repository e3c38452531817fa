npx create-next-app shop --yes
cd shop
npm install @latchkey/nextjs
npm install --save-dev @latchkey/service @latchkey/development
