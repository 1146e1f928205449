// Secrets of several parts, with which tokens are got: the provider is shown such a token, and never the secret. Each is one JSON
// text with a `type`, so that whatever keeps, moves, binds and backs up secrets holds for it unchanged.

/** A service account of Google, as its key file says it. */
export type ServiceAccount = {
  readonly type: 'service_account'
  readonly email: string
  /** PEM. */
  readonly privateKey: string
  readonly tokenUrl: string
}

/** An application of Microsoft Entra ID with its own secret. */
export type EntraClient = {
  readonly type: 'entra_client'
  readonly clientId: string
  readonly clientSecret: string
  readonly scope: string
  readonly tokenUrl: string
}

export type TokenSecret = ServiceAccount | EntraClient

/** What is wrong with a secret that is meant to be of parts. The sentence names members, and nothing of what they hold. */
export type SecretFlaw = { readonly type: 'flaw'; readonly says: string }

const GOOGLE_TOKEN_URL = 'https://oauth2.googleapis.com/token'
const ENTRA_AUTHORITY = 'https://login.microsoftonline.com'
const ENTRA_SCOPE = 'https://cognitiveservices.azure.com/.default'

/** undefined for a secret that is shown as it is. */
export function readTokenSecret(text: string): TokenSecret | SecretFlaw | undefined {
  if (!text.trimStart().startsWith('{')) return undefined
  const members = objectIn(text)
  if (members === undefined) return flaw('begins like JSON, and is not a whole JSON object')
  switch (members['type']) {
    case 'service_account':
      return readServiceAccount(members)
    case 'entra_client':
      return readEntraClient(members)
    default:
      return flaw("is JSON of another kind: its 'type' must be 'service_account' or 'entra_client'")
  }
}

/** The texts in it that somebody may repeat who was shown them. A private key only signs, and is shown to nobody. */
export function shownParts(secret: TokenSecret): readonly string[] {
  return secret.type === 'entra_client' ? [secret.clientSecret] : []
}

type Members = Readonly<Record<string, unknown>>

function readServiceAccount(members: Members): ServiceAccount | SecretFlaw {
  const { client_email: email, private_key: privateKey, token_uri: tokenUrl = GOOGLE_TOKEN_URL } = members
  if (!isText(email)) return lacks('client_email')
  if (!isText(privateKey)) return lacks('private_key')
  if (!isAddress(tokenUrl)) return notAnAddress('token_uri')
  return { type: 'service_account', email, privateKey, tokenUrl }
}

function readEntraClient(members: Members): EntraClient | SecretFlaw {
  const { tenant_id: tenant, client_id: clientId, client_secret: clientSecret } = members
  const { authority = ENTRA_AUTHORITY, scope = ENTRA_SCOPE } = members
  if (!isText(tenant)) return lacks('tenant_id')
  if (!/^[\w.-]+$/.test(tenant)) return flaw("has a 'tenant_id' that is neither an id nor a domain")
  if (!isText(clientId)) return lacks('client_id')
  if (!isText(clientSecret)) return lacks('client_secret')
  if (!isText(scope)) return lacks('scope')
  if (!isAddress(authority)) return notAnAddress('authority')
  const tokenUrl = `${authority.replace(/(?<!\/)\/+$/, '')}/${tenant}/oauth2/v2.0/token`
  return { type: 'entra_client', clientId, clientSecret, scope, tokenUrl }
}

function objectIn(text: string): Members | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    // The parser's own words quote the text; undefined says enough.
    return undefined
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}

function isAddress(value: unknown): value is string {
  if (typeof value !== 'string' || /[?#]/.test(value)) return false
  const url = URL.parse(value)
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
}

function lacks(member: string): SecretFlaw {
  return flaw(`has no '${member}', or one that is no text`)
}

function notAnAddress(member: string): SecretFlaw {
  return flaw(`has a '${member}' that is not an address without user name, query and fragment`)
}

function flaw(says: string): SecretFlaw {
  return { type: 'flaw', says }
}
