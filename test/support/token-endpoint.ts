// A fake of the endpoints at which companies get tokens: Google's for the assertions of service accounts, Entra's for clients. It
// checks what it is sent by the published rules, with nothing of the code that is tested, and answers as a test scripts it.

import { generateKeyPairSync, verify } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { canary } from './canary.ts'

export type Grant = {
  readonly form: URLSearchParams
  /** What the assertion says; undefined where there is none. */
  readonly claims: Readonly<Record<string, unknown>> | undefined
}

export type TokenBehaviour =
  /** `seconds`: how long the token lives; null leaves it unsaid. */
  | { readonly type: 'grant'; readonly seconds?: number | string | null; readonly token?: string }
  | {
      readonly type: 'answer'
      readonly status: number
      readonly body: string
      readonly headers?: Readonly<Record<string, string>>
    }
  /** Nothing comes. */
  | { readonly type: 'silence' }
  /** It is granted when `until` is there. */
  | { readonly type: 'late'; readonly until: Promise<void> }

export type TokenEndpoint = {
  readonly url: string
  /** In order of arrival. */
  readonly grants: Grant[]
  /** The tokens that it gave out. */
  readonly tokens: string[]
  /** The key file of a service account that gets its tokens here, as Google writes them. */
  readonly serviceAccount: string
  /** An application of Entra that gets its tokens here. */
  readonly entraClient: string
  /** What neither a log nor anybody else may ever see. */
  readonly canaries: Readonly<Record<string, string>>
  script(behaviour: TokenBehaviour): void
  /** How far its clock is ahead. */
  setSkewMs(skewMs: number): void
  close(): Promise<void>
}

const PROJECT = 'farebox-test'
export const ACCOUNT = `caller@${PROJECT}.iam.gserviceaccount.com`
const TENANT = '11111111-2222-3333-4444-555555555555'
const CLIENT = '66666666-7777-8888-9999-000000000000'
const SCOPE = 'https://cognitiveservices.azure.com/.default'
const GRANTED: TokenBehaviour = { type: 'grant' }
/** What Google allows a clock to be off. */
const MAX_SKEW_S = 300

export async function startTokenEndpoint(): Promise<TokenEndpoint> {
  const grants: Grant[] = []
  const tokens: string[] = []
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const clientSecret = canary()
  let behaviour = GRANTED
  let skewMs = 0
  const server = createServer((request, response) => void serve(request, response))

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await textOf(request))
    const claims = claimsIn(form.get('assertion') ?? '')
    grants.push({ form, claims })
    const says = behaviour
    if (says.type === 'silence') return
    if (says.type === 'late') await says.until
    response.setHeader('date', new Date(Date.now() + skewMs).toUTCString())
    if (says.type === 'answer') return void response.writeHead(says.status, says.headers).end(says.body)
    const problem = request.url === '/token' ? wrongWithAssertion(form, claims) : wrongWithClient(request, form)
    if (problem !== undefined) return answer(response, 400, problem)
    const { seconds = 3600, token = `ya29.${canary()}${canary()}` } = says.type === 'grant' ? says : {}
    tokens.push(token)
    const life = seconds === null ? {} : { expires_in: seconds }
    answer(response, 200, { access_token: token, token_type: 'Bearer', ...life })
  }

  function wrongWithAssertion(form: URLSearchParams, claims: Grant['claims']) {
    const assertion = form.get('assertion') ?? ''
    const [head = '', payload = '', signature = ''] = assertion.split('.')
    const signed = Buffer.from(`${head}.${payload}`)
    const isSigned = verify('RSA-SHA256', signed, publicKey, Buffer.from(signature, 'base64url'))
    const isGrant = form.get('grant_type') === 'urn:ietf:params:oauth:grant-type:jwt-bearer'
    if (!isGrant || !isSigned || claims?.['iss'] !== ACCOUNT || claims['aud'] !== tokenUrl()) {
      return { error: 'invalid_grant', error_description: `Invalid JWT Signature: ${assertion}` }
    }
    if (claims['scope'] !== 'https://www.googleapis.com/auth/cloud-platform') return { error: 'invalid_scope' }
    const nowS = (Date.now() + skewMs) / 1000
    const isNow = Math.abs(Number(claims['iat']) - nowS) <= MAX_SKEW_S && Number(claims['exp']) > nowS
    return isNow ? undefined : { error: 'invalid_grant', error_description: 'Token must be in a reasonable timeframe.' }
  }

  function wrongWithClient(request: IncomingMessage, form: URLSearchParams) {
    if (request.url !== `/${TENANT}/oauth2/v2.0/token`) return { error: 'invalid_request', error_codes: [90002] }
    const isWhole =
      form.get('grant_type') === 'client_credentials' && form.get('client_id') === CLIENT && form.get('scope') === SCOPE
    if (!isWhole) return { error: 'invalid_request', error_codes: [900144] }
    if (form.get('client_secret') === clientSecret) return undefined
    const error_description = `AADSTS7000215: Invalid client secret provided: ${form.get('client_secret')}`
    return { error: 'invalid_client', error_description, error_codes: [7000215] }
  }

  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const tokenUrl = () => `${url()}/token`
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const middle = pem.split('\n')[12] ?? ''
  return {
    url: url(),
    grants,
    tokens,
    serviceAccount: JSON.stringify(
      {
        type: 'service_account',
        project_id: PROJECT,
        private_key_id: 'abcdef0123456789',
        private_key: pem,
        client_email: ACCOUNT,
        client_id: '100000000000000000000',
        auth_uri: 'https://accounts.google.com/o/oauth2/auth',
        token_uri: tokenUrl(),
        universe_domain: 'googleapis.com',
      },
      null,
      2,
    ),
    entraClient: JSON.stringify({
      type: 'entra_client',
      tenant_id: TENANT,
      client_id: CLIENT,
      client_secret: clientSecret,
      authority: url(),
    }),
    canaries: { 'the client secret': clientSecret, 'the private key': middle },
    script: (given) => void (behaviour = given),
    setSkewMs: (given) => void (skewMs = given),
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

function claimsIn(assertion: string): Grant['claims'] {
  const [, payload] = assertion.split('.')
  if (payload === undefined) return undefined
  return JSON.parse(Buffer.from(payload, 'base64url').toString()) as Grant['claims']
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
