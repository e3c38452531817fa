import { createIdentityService } from '@latchkey/service'

// One of the processes of the service; all get the same options. `latchkey-service serve` is the same for
// domains of your own, which are served over https.
const service = await createIdentityService({
  database: process.env.LATCHKEY_DATABASE,
  redis: process.env.LATCHKEY_REDIS,
  masterKey: process.env.LATCHKEY_MASTER_KEY,
  trustedProxies: ['127.0.0.1'],
  allowHttpOnLoopback: true,
})
await service.listen({ port: Number(process.env.PORT) })
process.send?.('listening')
process.once('SIGTERM', () => void service.close().then(() => process.disconnect()))
// Ctrl-C reaches every process of the terminal; the first one ends the others.
process.on('SIGINT', () => {})
