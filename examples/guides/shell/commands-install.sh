npm install --global @latchkey/service @latchkey/management
