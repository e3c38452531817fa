import {
  CurrentData,
  LatchkeyModule,
  LatchkeyService,
  Public,
  RequireUser,
  type SessionData,
} from '@latchkey/nestjs'
import { Controller, Get, Inject, Module, Post } from '@nestjs/common'

// #region require
@RequireUser({ roles: ['staff'] })
@Controller('articles')
export class ArticlesController {
  @Get()
  list(): string {
    return 'for staff'
  }

  // Staff who proved within the last five minutes who they are.
  @RequireUser({ maxAge: 300 })
  @Post('publish')
  publish(): string {
    return 'published'
  }
}
// #endregion

// #region data
@Controller('cart')
export class CartController {
  @Post()
  async add(@CurrentData() data: SessionData): Promise<string> {
    const { items = 0 } = (await data.get()) as { items?: number }
    await data.set({ items: items + 1 })
    return `${items + 1} in the cart`
  }
}
// #endregion

// #region service
@Public()
@Controller('ready')
export class ReadyController {
  readonly #latchkey: LatchkeyService

  constructor(@Inject(LatchkeyService) latchkey: LatchkeyService) {
    this.#latchkey = latchkey
  }

  @Get()
  async ready(): Promise<string> {
    await this.#latchkey.ready()
    return 'ready'
  }
}
// #endregion

export class Settings {
  readonly baseUrl = process.env.LATCHKEY_BASE_URL as string
}

@Module({ providers: [Settings], exports: [Settings] })
export class SettingsModule {}

// #region async
@Module({
  imports: [
    LatchkeyModule.forRootAsync({
      imports: [SettingsModule],
      inject: [Settings],
      useFactory: (settings: Settings) => ({ baseUrl: settings.baseUrl }),
    }),
  ],
  controllers: [ArticlesController, CartController, ReadyController],
})
export class ShopModule {}
// #endregion
