import { runExample } from '@latchkey/example-shared'
import { createApp, SCOPES } from './app.ts'
import { clientSettings } from './clients.ts'

await runExample({
  title: 'Notes',
  more: ({ baseUrl, issuer }) => ({
    'MCP server': `${baseUrl}/mcp`,
    ...clientSettings(`${baseUrl}/mcp`),
    'Withdraw access': `${issuer}/account/access`,
  }),
  // #region metadata
  metadata: (baseUrl) => ({
    // For development: in production, list the hosts that you trust.
    tenant: { latchkey_client_documents: 'any', latchkey_client_registration: 'true' },
    application: {
      latchkey_api: `${baseUrl}/mcp`,
      latchkey_api_scopes: JSON.stringify(SCOPES),
      latchkey_api_clients: 'documents',
    },
  }),
  // #endregion
  createApp,
})
