npx pnpm latchkey webhooks add --endpoint http://localhost:5050/webhooks
