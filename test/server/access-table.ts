// Who may send how much before anybody knows who it is: the table of docs/security.md, and what is answered to a stranger who sends
// more. A route that is registered and fits no row, or two of them, fails the walk.

export type AccessRow = {
  /** As docs/security.md says it. */
  readonly what: string
  readonly here: string
  readonly overLan: string
  readonly fromStrangers: string
  readonly fromKnown: string
  /** Whether a route, as `METHOD path`, is of this row. */
  readonly fits: RegExp
  /** What a stranger is answered who sends too much, here and over the LAN. */
  readonly statuses: readonly [here: readonly number[], overLan: readonly number[]]
}

const CALLS =
  /^POST ((\/v1)?\/(chat\/completions|embeddings|completions|moderations|rerank|images\/generations|audio\/speech|responses|messages|messages\/count_tokens|responses\/(input_tokens|compact))|\/v1beta\/.+|\/v1\/models\/.+)$/
const FORMS = /^POST (\/v1)?\/(images\/(edits|variations)|audio\/(transcriptions|translations))$/
const OPEN_API = /^POST \/api\/(session|invites\/accept)$/
/** The page while it is not built, and files and models that are not there. */
const PAGE = [200, 404, 503]

/** In the order of the documentation; the last row is for all that is nothing else. */
export const ACCESS_ROWS: readonly AccessRow[] = [
  {
    what: 'calls: `POST` to chat completions, embeddings, completions, moderations, rerank, images, speech, responses, messages, `count_tokens`, `input_tokens`, `compact`, and those of Gemini',
    here: 'a key',
    overLan: 'a key',
    fromStrangers: '0',
    fromKnown: '33,554,432',
    fits: CALLS,
    statuses: [[401], [401]],
  },
  {
    what: 'calls that may bring a form: `POST` to edits and variations of images, transcriptions, translations',
    here: 'a key',
    overLan: 'a key',
    fromStrangers: '0',
    fromKnown: '33,554,432; a form 135,266,304',
    fits: FORMS,
    statuses: [[401], [401]],
  },
  {
    what: '`POST /v1/alpha/search`, which is always refused',
    here: 'a key',
    overLan: 'a key',
    fromStrangers: '0',
    fromKnown: '0',
    fits: /^POST (\/v1)?\/alpha\/search$/,
    statuses: [[401], [401]],
  },
  {
    what: '`OPTIONS` of what tools ask',
    here: 'everybody',
    overLan: 'a key; everybody for `/health`',
    fromStrangers: '0',
    fromKnown: '0',
    fits: /^OPTIONS /,
    statuses: [[204], [204, 401]],
  },
  {
    what: '`GET /v1/balance`, `GET /v1/usage`, `GET /v1/receipts/{id}`, `GET /v1/responses` (a WebSocket)',
    here: 'a key',
    overLan: 'a key',
    fromStrangers: '0',
    fromKnown: '0',
    fits: /^GET (\/v1\/(balance|usage|receipts\/.+)|(\/v1)?\/responses)$/,
    statuses: [[401], [401]],
  },
  {
    what: '`GET` of the list of models, and of one model',
    here: 'everybody',
    overLan: 'a key',
    fromStrangers: '0',
    fromKnown: '0',
    fits: /^GET (\/v1|\/v1beta)?\/(models|models\/.+)$/,
    statuses: [[200, 404], [401]],
  },
  {
    what: '`GET /health`, the dashboard and its files',
    here: 'everybody',
    overLan: 'everybody',
    fromStrangers: '0',
    fromKnown: '0',
    fits: /^GET (\/health|\/|\/app|\/app\/.+|\/assets\/.+)$/,
    statuses: [PAGE, PAGE],
  },
  {
    what: '`GET /ready`, `GET /docs/openapi.json`',
    here: 'everybody',
    overLan: 'nobody',
    fromStrangers: '0',
    fromKnown: '0',
    fits: /^GET \/(ready|docs\/openapi\.json)$/,
    statuses: [[200], [403]],
  },
  {
    what: '`GET /metrics`',
    here: 'its token',
    overLan: 'nobody',
    fromStrangers: '0',
    fromKnown: '0',
    fits: /^GET \/metrics$/,
    statuses: [[404], [403]],
  },
  {
    what: '`POST /api/session`, `POST /api/invites/accept`',
    here: 'everybody',
    overLan: 'everybody',
    fromStrangers: '4,096, announced, within 10 s',
    fromKnown: '4,096',
    fits: OPEN_API,
    statuses: [[413], [413]],
  },
  {
    what: '`POST /api/try`',
    here: 'a session, the token',
    overLan: 'a session',
    fromStrangers: '0',
    fromKnown: '33,554,432',
    fits: /^POST \/api\/try$/,
    statuses: [[401], [401]],
  },
  {
    what: 'everything else of the admin API',
    here: 'a session, the token',
    overLan: 'a session',
    fromStrangers: '0',
    fromKnown: '1,048,576',
    fits: /^(?!POST \/api\/(session|invites\/accept|try)$)[A-Z]+ \/api\/.+$/,
    statuses: [[401], [401, 403]],
  },
  {
    what: 'every other path, and every other method',
    here: 'nobody',
    overLan: 'nobody',
    fromStrangers: '0',
    fromKnown: '0',
    fits: /^never$/,
    statuses: [[404], [404]],
  },
]

/** What nothing is registered for. */
export const UNKNOWN: readonly (readonly [method: string, path: string])[] = [
  ['POST', '/v1/nothing'],
  ['POST', '/v1'],
  ['POST', '/v1/chat/completions/more'],
  ['POST', '/nothing/of/ours'],
  ['POST', '/health'],
  ['PUT', '/v1/chat/completions'],
  ['PATCH', '/v1/models'],
  ['DELETE', '/v1/responses'],
  ['OPTIONS', '/v1/chat'],
  ['OPTIONS', '/ready'],
  ['OPTIONS', '/api/keys'],
  ['GET', '/nothing'],
  ['POST', '/api'],
  ['POST', '/api/nothing'],
  ['GET', '/api/nothing'],
  ['DELETE', '/api/keys'],
  ['PUT', '/api/try'],
  ['POST', '/api/keys/a/b/c/d'],
  ['POST', '/app'],
  ['PUT', '/assets/x'],
  ['GET', '/docs'],
  ['POST', '/docs/openapi.json'],
]

/** The rows of a table in Markdown, cell by cell. */
export function cellsOf(markdown: string): string[][] {
  return markdown
    .split('\n')
    .filter((line) => line.startsWith('|') && !/^\|\s*-/.test(line))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    )
}
