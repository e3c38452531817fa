import type { ServerResponse } from 'node:http'
import { discoveryDocument, keySet } from './answers.ts'
import { authorize, push } from './authorize.ts'
import type { ProviderRequest } from './provider.ts'
import { send } from './server.ts'
import type { ProviderState } from './state.ts'
import { token } from './token.ts'
import { userinfo } from './userinfo.ts'

/**
 * Answers a request, by the endpoint of its path.
 *
 * @param pathname - The path as it was sent, including the path of the issuer.
 */
export function answer(
  state: ProviderState,
  request: ProviderRequest,
  pathname: string,
  res: ServerResponse,
): void {
  const { provider, key } = state
  switch (request.path) {
    case '/.well-known/openid-configuration':
      if (provider.fault === 'discovery redirects to a slash') {
        res.writeHead(301, { location: `${pathname}/` }).end()
      } else send(provider, res, 'discovery', discoveryDocument(provider))
      break
    case '/.well-known/openid-configuration/':
      send(provider, res, 'discovery', discoveryDocument(provider))
      break
    case '/jwks':
      send(provider, res, 'jwks', keySet(provider.fault, key))
      break
    case '/auth':
      authorize(state, request, res)
      break
    case '/par':
      push(state, request, res)
      break
    case '/token':
      token(state, request, res)
      break
    case '/userinfo':
      userinfo(state, request, res)
      break
    case '/logout':
      res.writeHead(200, { 'content-type': 'text/html' }).end('<main>logged out</main>')
      break
    default:
      res.writeHead(404).end()
  }
}
