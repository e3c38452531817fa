npm install --save-dev @latchkey/testing
LATCHKEY_BASE_URL=http://localhost:3000 node app.js
