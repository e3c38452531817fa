import { server } from './app.ts'

server.listen(3000)
