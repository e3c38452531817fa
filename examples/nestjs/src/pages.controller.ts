import { accountPage, homePage } from '@latchkey/example-shared'
import { CurrentAuth, CurrentUser, Public, type RequestAuth, type User } from '@latchkey/nestjs'
import { Controller, Get } from '@nestjs/common'

@Controller()
export class PagesController {
  @Public()
  @Get()
  home(@CurrentAuth() auth: RequestAuth): string {
    return homePage('NestJS', auth.user)
  }

  // Visitors who aren't logged in are sent to log in, then returned here.
  @Get('account')
  account(@CurrentUser() user: User, @CurrentAuth() auth: RequestAuth): string {
    return accountPage('NestJS', user, auth.session)
  }
}
