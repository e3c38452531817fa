import {
  CurrentUser,
  getUser,
  LatchkeyModule,
  Public,
  RequireUser,
  type User,
} from '@latchkey/nestjs'
import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo'
import { Module } from '@nestjs/common'
import { GraphQLModule, Mutation, Query, ResolveField, Resolver } from '@nestjs/graphql'
import { SubscribeMessage, WebSocketGateway } from '@nestjs/websockets'

// #region resolver
@Resolver('Article')
export class ArticlesResolver {
  @Public()
  @Query()
  latest(): object {
    return { title: 'On guards' }
  }

  @RequireUser({ roles: ['staff'] })
  @Mutation()
  publish(@CurrentUser() user: User): string {
    return `published by ${user.email}`
  }

  // Also asked of those who reach the article through latest().
  @ResolveField()
  draft(@CurrentUser() user: User): string {
    return `for ${user.email}`
  }
}
// #endregion

const typeDefs = /* GraphQL */ `
  type Article { title: String! draft: String }
  type Query { latest: Article! }
  type Mutation { publish: String! }
`

// #region gateway
interface Client {
  join(room: string): void
}

@WebSocketGateway()
export class ChatGateway {
  // The user as they were at the handshake.
  handleConnection(client: Client): void {
    client.join(getUser(client).sub)
  }

  @SubscribeMessage('say')
  say(@CurrentUser() user: User): object {
    return { event: 'said', data: user.email }
  }

  @RequireUser({ roles: ['staff'] })
  @SubscribeMessage('close')
  close(): object {
    return { event: 'closed', data: {} }
  }
}
// #endregion

// #region graphql
@Module({
  imports: [
    LatchkeyModule.forRoot(),
    GraphQLModule.forRoot<ApolloDriverConfig>({
      driver: ApolloDriver,
      typeDefs,
      // Without it, Nest skips the guards of fields.
      fieldResolverEnhancers: ['guards'],
    }),
  ],
  providers: [ArticlesResolver, ChatGateway],
})
export class TransportsModule {}
// #endregion
