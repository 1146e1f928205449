// What `npm test` leaves to `npm run test:all`, which CI runs before anything lands: whole files that try more of what others try once, or that
// need a browser, a database server, a full disk or a kill for each case. Whoever names a file or a folder gets all of it:
// `npm test -- test/dashboard`. Without them a run takes minutes instead of a quarter of an hour and more
// (docs/performance.md says how long each takes).

export type LeftToCi = {
  readonly what: string
  /** What of `npm test` holds the same promises once: files, and folders that end in a slash. */
  readonly heldBy: readonly string[]
  /** Below `test`, without their ending. */
  readonly files: readonly string[]
}

export const LEFT_TO_CI: readonly LeftToCi[] = [
  {
    what: 'Each page of the dashboard, and what can be done on it, in a browser.',
    heldBy: ['dashboard/sign-in', 'dashboard/first-run', 'dashboard/visits', 'renderer/'],
    files: [
      ...below(
        'dashboard',
        'alerts audit bills bills-settle fleet invite keys lan ledger link members models outcomes outlook',
      ),
      ...below(
        'dashboard',
        'overview own-key own-limits packages palette price-feed projects providers refused requests',
      ),
      ...below('dashboard', 'settings targets tools try usage'),
      'renderer/dashboard',
      'process/open',
    ],
  },
  {
    what: 'All pages in every language, colour and width and with a reader on them, and what each loads first.',
    heldBy: ['dashboard/pictures', 'dashboard/waiting', 'renderer/'],
    files: below('dashboard', 'accessible first-load languages steady tables'),
  },
  {
    what: 'Power cuts, full disks and damage, and kills at one place after the other.',
    heldBy: ['process/kill', 'ledger/journal', 'store/journal-files', 'store/backup', 'store/database'],
    files: [
      ...below('process', 'backup bills-kill connect-kill connect-kill-calls damage disk-full disk-full-admin'),
      ...below('process', 'disk-full-each-write journal-damage kill-each-change migrate-kill mismatch power-cut'),
      ...below('process', 'power-cut-restore secret-pool-kill shutdown upload-disk-full'),
      'alert/kill',
      'store/restore',
    ],
  },
  {
    what: 'What is installed and run as a program of its own, in every way in which users do, and every tool that is connected.',
    heldBy: ['process/lifecycle', 'launch', 'doctor/', 'cli/', 'connect/', 'secret/', 'provider/', 'shell/'],
    files: [
      ...below(
        'process',
        'command-line connect discover doctor doctor-causes first-estimate long-past npm-package package',
      ),
      ...below('process', 'secrets secrets-beside server service-files'),
      'build',
      'connect/adapters',
      'provider/tokenizer',
      'shell/main',
    ],
  },
  {
    what: 'Floods, attacks and very large bodies, and what everybody else gets meanwhile.',
    heldBy: ['gateway/guard', 'gateway/slow-reader', 'gateway/credit-guard', 'server/'],
    files: [
      ...below('gateway', 'attacks large-conversations overspent refused-flood socket-attacks socket-limits'),
      ...below('process', 'after-attack large-bodies refused-flood upload-memory'),
      'server/large-conversations',
    ],
  },
  {
    what: 'Several gateways: what they share, and while one of them, their database or what stands before them fails.',
    heldBy: ['fleet/shared-balance', 'fleet/failures', 'fleet/exact-model'],
    files: [
      ...below('fleet', 'behind-proxy chaos exact exact-lost following kept limits lost migrate restored'),
      ...below('fleet', 'shared-secrets shared-sessions standby'),
    ],
  },
  {
    what: 'Random questions, histories and amounts.',
    heldBy: ['contract/', 'ledger/', 'alert/', 'gateway/contract-errors', 'gateway/contract-parameters'],
    files: [
      'openapi/openapi',
      'contract/bounds',
      'ledger/ledger-model',
      'alert/thresholds',
      'recompute/bills',
      'recompute/recompute',
    ],
  },
  {
    what: 'Streams that end after each of their bytes or events, a thousand times, and whatever else a provider answers, in every format from every dialect.',
    heldBy: [
      'gateway/exits',
      'gateway/faults',
      'gateway/faults-stream',
      'gateway/failover-limits',
      'catalog/',
      'provider/',
      'faults/',
      'dialect/',
    ],
    files: [
      ...below(
        'gateway',
        'abort-cycles broken-streams cut-at-every-byte early-ends echoed-secret failover judged-requests',
      ),
      ...below(
        'gateway',
        'named-answers overflow-words provider-errors provider-limits restraint secret-pool token-secrets',
      ),
      'catalog/discovered',
      'passed/faults',
    ],
  },
  {
    what: 'Reports and balances of providers against the calls of a running gateway.',
    heldBy: ['bills/', 'store/bill-reports', 'gateway/activity-bills', 'gateway/reports'],
    files: below('gateway', 'account-balances billed-answers bills kept-bills live-bills scheduled-bills'),
  },
  {
    what: 'Everybody who could ask, on machines of their own and in every combination of the settings of the LAN.',
    heldBy: ['gateway/access', 'gateway/invites', 'lan/lan'],
    files: [...below('lan', 'access guessing invite matrix other-machine'), 'gateway/key-sign-in'],
  },
  {
    what: 'SDKs and published types of the vendors, and content that is looked for in every file.',
    heldBy: ['clients/usage', 'clients/openai-responses', 'clients/google-genai', 'dialect/', 'matrix/'],
    files: [
      ...below(
        'clients',
        'ai-sdk anthropic-sdk anthropic-sdk-errors canary canary-passed cut-answers openai-chat-pairs',
      ),
      'clients/python-genai',
      'vendor-schemas/vendor-schemas',
    ],
  },
]

function below(folder: string, names: string): string[] {
  return names.split(' ').map((name) => `${folder}/${name}`)
}

/** By their paths from the root. */
export const LEFT_FILES: ReadonlySet<string> = new Set(
  LEFT_TO_CI.flatMap(({ files }) => files).map((file) => `test/${file}.test.ts`),
)
