import { LatchkeyModule } from '@latchkey/nestjs'
import { Module } from '@nestjs/common'
import { AppController } from './app.controller.js'

@Module({
  // Adds /login, /callback and /logout, and guards every handler.
  imports: [LatchkeyModule.forRoot()],
  controllers: [AppController],
})
export class AppModule {}
