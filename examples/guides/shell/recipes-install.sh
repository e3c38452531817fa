npm install @latchkey/core
npm install --save-dev @latchkey/service @latchkey/development
