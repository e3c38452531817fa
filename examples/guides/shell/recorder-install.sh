npm install --save-dev @latchkey/development
