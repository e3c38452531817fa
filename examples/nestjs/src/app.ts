import { type AuthOptions, LatchkeyModule } from '@latchkey/nestjs'
import { type INestApplication, Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { PagesController } from './pages.controller.ts'

@Module({ controllers: [PagesController] })
class AppModule {}

export async function createApp(options: AuthOptions): Promise<INestApplication> {
  // Adds /login, /callback and /logout, and guards every handler.
  const imports = [LatchkeyModule.forRoot(options)]
  const app = await NestFactory.create({ module: AppModule, imports }, { logger: ['error'] })
  return app.init()
}
