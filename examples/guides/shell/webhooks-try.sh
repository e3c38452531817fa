npx pnpm latchkey webhooks test <id of the endpoint>
npx pnpm latchkey users list
npx pnpm latchkey users update <id of a user> --set disabled=true
