import { CurrentAuth, CurrentUser, Public, type RequestAuth, type User } from '@latchkey/nestjs'
import { Controller, Get, Header } from '@nestjs/common'

@Controller()
export class AppController {
  @Public() // Visitors may come here; every other handler asks for a login.
  @Header('content-type', 'text/html')
  @Get()
  home(@CurrentAuth() auth: RequestAuth): string {
    return auth.isAuthenticated
      ? '<form method="post" action="/logout"><button>Log out</button></form>'
      : '<a href="/login">Log in</a>'
  }

  @Get('account')
  account(@CurrentUser() user: User): string {
    return `Logged in as ${user.email}`
  }
}
