// Every setting of Farebox in one table: what it means, its default, its environment variable and its flag.

import { posix, win32, type PlatformPath } from 'node:path'
import {
  anyText,
  file,
  languageTag,
  oneOf,
  postgresUrl,
  trueOrFalse,
  webAddress,
  wholeNumber,
  type Kind,
} from '#config/setting-kinds.ts'
import { toolCredits } from '#config/tool-credits.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** What the process was started with. `argv` holds the flags only: no program names and no verb. */
export type Start = {
  readonly argv: readonly string[]
  readonly env: Environment
  readonly platform: NodeJS.Platform
  readonly homeDir: string
}

export type Setting<Value> = {
  readonly meaning: string
  readonly env: string | undefined
  readonly flag: string | undefined
  readonly kind: Kind<Exclude<Value, undefined>>
  readonly fallback: (start: Start) => Value
}

const DAY_MS = 86_400_000

export const SETTINGS = {
  dataDir: {
    meaning: 'The folder that holds everything Farebox keeps.',
    env: 'FAREBOX_DATA_DIR',
    flag: '--data-dir',
    kind: file,
    fallback: defaultDataDir,
  },
  port: {
    meaning: 'The port to listen on; 0 takes any free one.',
    env: 'FAREBOX_PORT',
    flag: '--port',
    kind: wholeNumber(0, 65_535),
    fallback: () => 3273,
  },
  configFile: {
    meaning: 'A farebox.yaml to apply at start.',
    env: 'FAREBOX_CONFIG',
    flag: '--config',
    kind: file,
    fallback: () => undefined,
  },
  headless: {
    meaning: 'Runs without a tray icon, even where there is a display.',
    env: undefined,
    flag: '--headless',
    kind: trueOrFalse,
    fallback: () => false,
  },
  json: {
    meaning: 'Prints one line of JSON when ready, instead of text.',
    env: undefined,
    flag: '--json',
    kind: trueOrFalse,
    fallback: () => false,
  },
  databaseUrl: {
    meaning: 'The PostgreSQL database in which several gateways share their books.',
    env: 'FAREBOX_DATABASE_URL',
    flag: undefined,
    kind: postgresUrl(),
    fallback: () => undefined,
  },
  databasePasswordFile: optionalFile('The file with the password of that database.', 'FAREBOX_DATABASE_PASSWORD_FILE'),
  databaseDurable: chosen(
    "Where a charge has to be before its answer is complete: in the gateway's own journal, or in that database.",
    'FAREBOX_DATABASE_DURABLE',
    oneOf(['journal', 'database']),
    'journal',
  ),
  sharedLimits: chosen(
    'How gateways of that database share days and months of members and projects: by parts, or exactly.',
    'FAREBOX_SHARED_LIMITS',
    oneOf(['parts', 'exact']),
    'parts',
  ),
  secrets: {
    meaning: 'Where the secrets of providers are kept.',
    env: 'FAREBOX_SECRETS',
    flag: undefined,
    kind: oneOf(['keychain', 'vault', 'database']),
    // Whoever names both has given gateways a key to share them with.
    fallback: ({ env }) => (env.FAREBOX_DATABASE_URL && env.FAREBOX_VAULT_KEY_FILE ? 'database' : 'keychain'),
  },
  vaultKeyFile: optionalFile(
    'The file with the 32 bytes that encrypt the vault, or the secrets in the shared database.',
    'FAREBOX_VAULT_KEY_FILE',
  ),
  vaultOldKeyFile: optionalFile(
    'The file with the key before that one, while secrets in the shared database are sealed anew.',
    'FAREBOX_VAULT_OLD_KEY_FILE',
  ),
  credentialsDir: optionalFile(
    'Where systemd puts credentials; the vault takes farebox-key from there if no key file is named.',
    'CREDENTIALS_DIRECTORY',
  ),
  rateLimitWait: {
    meaning: 'Whether a request over its rate limit waits for its turn instead of being refused with 429.',
    env: 'RATE_LIMIT_WAIT',
    flag: undefined,
    kind: trueOrFalse,
    fallback: () => false,
  },
  upstreamConnectTimeoutMs: timeLimit(
    'How long connecting to a provider may take.',
    'FAREBOX_UPSTREAM_CONNECT_TIMEOUT_MS',
    10_000,
  ),
  upstreamFirstByteTimeoutMs: timeLimit(
    'How long a provider may take until its answer begins.',
    'FAREBOX_UPSTREAM_FIRST_BYTE_TIMEOUT_MS',
    300_000,
  ),
  upstreamSilenceTimeoutMs: timeLimit(
    'How long an answer that has begun may pause.',
    'FAREBOX_UPSTREAM_SILENCE_TIMEOUT_MS',
    120_000,
  ),
  upstreamTotalTimeoutMs: timeLimit(
    'How long one call may take in all.',
    'FAREBOX_UPSTREAM_TOTAL_TIMEOUT_MS',
    1_800_000,
  ),
  upstreamAttempts: {
    meaning: 'How many attempts at providers one request may take in all, before its answer begins.',
    env: 'FAREBOX_UPSTREAM_ATTEMPTS',
    flag: undefined,
    kind: wholeNumber(1, 20),
    fallback: () => 6,
  },
  upstreamRetryDelayMs: patience(
    'How long to wait before the same provider is asked again after a failure; twice as long each further time.',
    'FAREBOX_UPSTREAM_RETRY_DELAY_MS',
    500,
  ),
  upstreamTrialsPerSecond: {
    meaning:
      'How often a provider is asked for a model while it fails to answer for it, in calls per second; 0 for no bound.',
    env: 'FAREBOX_UPSTREAM_TRIALS_PER_SECOND',
    flag: undefined,
    kind: wholeNumber(0, 1000),
    fallback: () => 2,
  },
  holdWaitMs: patience(
    'How long a request waits for credits that other requests of its key hold.',
    'FAREBOX_HOLD_WAIT_MS',
    10_000,
  ),
  rateLimitWaitMs: patience(
    'How long a request waits for its rate limit, where it waits at all.',
    'FAREBOX_RATE_LIMIT_WAIT_MS',
    30_000,
  ),
  answerMemoryMs: patience(
    'How long an answer may be named by its id instead of being sent again, after its last use; 0 keeps none.',
    'FAREBOX_ANSWER_MEMORY_MS',
    3_600_000,
  ),
  webSockets: chosen(
    'Whether clients of the responses format may keep a WebSocket for their calls.',
    'FAREBOX_WEBSOCKETS',
    trueOrFalse,
    true,
  ),
  maxUploadMib: chosen(
    'How large an upload may be, in MiB; 0 takes none.',
    'FAREBOX_MAX_UPLOAD_MIB',
    wholeNumber(0, 4096),
    128,
  ),
  shutdownNoticeMs: patience(
    'How long calls are still taken when Farebox is told to stop, while /ready says that it ends.',
    'FAREBOX_SHUTDOWN_NOTICE_MS',
    0,
  ),
  shutdownGraceMs: patience(
    'How long requests in flight may take to finish when Farebox stops.',
    'FAREBOX_SHUTDOWN_GRACE_MS',
    10_000,
  ),
  demo: chosen(
    'Whether an empty data folder is set up with the demo and a first key.',
    'FAREBOX_DEMO',
    trueOrFalse,
    true,
  ),
  log: chosen('How events are written to standard error.', 'FAREBOX_LOG', oneOf(['text', 'json']), 'text'),
  logLevel: chosen(
    'The least grave events that are written.',
    'FAREBOX_LOG_LEVEL',
    oneOf(['error', 'warning', 'info']),
    'info',
  ),
  logRequests: chosen('Whether every request is an event.', 'FAREBOX_LOG_REQUESTS', trueOrFalse, false),
  metrics: chosen('Whether figures for Prometheus are served at /metrics.', 'FAREBOX_METRICS', trueOrFalse, false),
  metricsTokenFile: optionalFile('The file with the token that opens /metrics.', 'FAREBOX_METRICS_TOKEN_FILE'),
  otlpEndpoint: optional(
    'The collector of OpenTelemetry that is told about calls: numbers and names, never content.',
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    webAddress,
  ),
  priceFeed: optional('Where the price card is fetched from, when asked.', 'FAREBOX_PRICE_FEED', webAddress),
  priceFeedKeys: optional('The public keys that may have signed it.', 'FAREBOX_PRICE_FEED_KEYS', anyText),
  backupDir: optionalFile('The folder in which backups are made on a schedule.', 'FAREBOX_BACKUP_DIR'),
  backupEvery: chosen(
    'How often a backup is made.',
    'FAREBOX_BACKUP_EVERY',
    oneOf(['hourly', 'daily', 'weekly']),
    'daily',
  ),
  backupKeep: chosen('How many of these backups are kept.', 'FAREBOX_BACKUP_KEEP', wholeNumber(1, 1000), 7),
  balancesEvery: chosen(
    'How often providers are asked what is left on their accounts.',
    'FAREBOX_BALANCES_EVERY',
    oneOf(['never', 'hourly', 'daily']),
    'never',
  ),
  billsEvery: chosen(
    'How often providers are asked for their bills.',
    'FAREBOX_BILLS_EVERY',
    oneOf(['never', 'hourly', 'daily']),
    'never',
  ),
  toolCreditsPerDay: optional(
    'What calls of a tool may cost on a day before somebody is told of its thresholds.',
    'FAREBOX_TOOL_CREDITS_PER_DAY',
    toolCredits,
  ),
  language: chosen(
    'The language of the dashboard and the tray for the owner of the machine.',
    'FAREBOX_LANGUAGE',
    languageTag,
    'system',
  ),
  theme: chosen(
    'The colours of the dashboard for the owner of the machine.',
    'FAREBOX_THEME',
    oneOf(['system', 'light', 'dark']),
    'system',
  ),
} as const satisfies Record<string, Setting<unknown>>

/** The platform's folder for application data. Relative when no home folder is known. */
function defaultDataDir({ platform, env, homeDir }: Start): string {
  const paths = pathsOf(platform)
  if (platform === 'win32') return paths.join(env.APPDATA || paths.join(homeDir, 'AppData', 'Roaming'), 'Farebox')
  if (platform === 'darwin') return paths.join(homeDir, 'Library', 'Application Support', 'Farebox')
  // The XDG specification tells programs to ignore a path that is not absolute.
  const xdg = env.XDG_DATA_HOME
  const base = xdg !== undefined && paths.isAbsolute(xdg) ? xdg : paths.join(homeDir, '.local', 'share')
  return paths.join(base, 'farebox')
}

export function pathsOf(platform: NodeJS.Platform): PlatformPath {
  return platform === 'win32' ? win32 : posix
}

/** A setting that has a variable but no flag. */
function chosen<Value>(meaning: string, env: string, kind: Kind<Value>, fallback: NoInfer<Value>) {
  return { meaning, env, flag: undefined, kind, fallback: () => fallback }
}

function optional(meaning: string, env: string, kind: Kind<string>) {
  return { meaning, env, flag: undefined, kind, fallback: () => undefined }
}

function optionalFile(meaning: string, env: string) {
  return optional(meaning, env, file)
}

/** A day at most: timers that overflow 31 bits fire at once. */
function timeLimit(meaning: string, env: string, fallbackMs: number): Setting<number> {
  return { meaning, env, flag: undefined, kind: wholeNumber(1, DAY_MS), fallback: () => fallbackMs }
}

/** A time limit that may be 0, which means not to wait at all. */
function patience(meaning: string, env: string, fallbackMs: number): Setting<number> {
  return { meaning, env, flag: undefined, kind: wholeNumber(0, DAY_MS), fallback: () => fallbackMs }
}
