npx create-next-app shop --yes
cd shop
npm install @latchkey/nextjs
