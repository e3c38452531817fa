WEBHOOK_SECRET=whsec_… npx pnpm --filter example-guides run webhook-receiver
