// What the reference says about each action of the admin API beside its shapes: its group, a sentence, and an example of its body.

import type { AdminAction } from '#contract/admin-routes.ts'
import type { ADMIN_STREAMS } from '#contract/admin-routes.ts'

export type AdminNote = {
  readonly group: string
  readonly summary: string
  readonly example?: object
  /** The HTTP statuses of its refusals, beside those that every action of its kind has. */
  readonly refusals?: readonly number[]
}

/** Too many reports at once: of one person, and of all. */
const REPORT_REFUSALS = [429, 503]
/** The provider that is asked for its models does not answer. */
const ASKING_REFUSALS = [502]

/** The groups in the order in which they are shown. */
export const ADMIN_GROUPS = [
  'Session',
  'Overview and usage',
  'Keys',
  'Packages',
  'Models',
  'Prices',
  'Providers',
  'Members',
  'Ledger',
  'Administration',
] as const

export const ADMIN_NOTES = {
  signIn: note('Session', 'Signs in, with a ticket, with a name and a password, or with a key alone.', {
    name: 'ada',
    password: 'correct horse battery',
  }),
  showSession: { ...note('Session', 'Shows who is signed in and until when.'), refusals: [404] },
  signOut: note('Session', 'Ends this session, or all of this person.'),
  changePassword: note('Session', "Changes one's own password.", {
    password: 'a new one of ten or more',
    old_password: 'correct horse battery',
  }),
  makeTicket: note('Session', 'Makes a ticket that is good for one sign-in within a minute.'),

  listMembers: note('Members', 'Lists the members.'),
  addMember: note('Members', 'Adds somebody who can sign in.', { name: 'ada', role: 'member', packages: ['team'] }),
  editMember: note('Members', 'Changes what a member may do.', { status: 'suspended' }),
  setMemberPassword: note('Members', "Sets a member's password.", { password: 'a new one of ten or more' }),
  removeMember: note('Members', 'Removes a member.'),

  listInvites: note('Members', 'Lists the open invites, without their codes.'),
  createInvite: note('Members', 'Invites a member: the answer has a link that is good once, for a day.', {
    name: 'ada',
    packages: ['team'],
  }),
  withdrawInvite: note('Members', 'Ends the open invite of a member.'),
  acceptInvite: note('Members', 'Sets the password of an invited member and signs them in.', {
    code: 'the part of the link behind #invite=',
    password: 'correct horse battery',
  }),

  listAudit: note('Administration', 'Lists what administrators and members did, latest first.'),
  showSettings: note('Administration', 'Shows what the gateway runs with and where each setting comes from.'),
  status: note('Administration', 'Says how the gateway is.'),
  showLan: note('Administration', 'Says whether other machines can reach the gateway, and how.'),
  setLan: note(
    'Administration',
    'Opens the gateway to the LAN over TLS, or changes how; what is not said stays as it was.',
    {
      interface: 'eth0',
      port: 3273,
      names: ['farebox.office.example'],
    },
  ),
  turnLanOff: note('Administration', 'Closes the gateway to the LAN.'),
  showLanCertificate: {
    ...note('Administration', 'Shows the certificate that machines on the LAN have to trust.'),
    refusals: [404],
  },
  pause: note('Administration', 'Refuses new calls for a while. Running ones end as they would.', { minutes: 60 }),
  resume: note('Administration', 'Ends a pause.'),
  apply: note('Administration', 'Brings the gateway to what a farebox.yaml says.', {
    document: { packages: [{ name: 'team', type: 'monthly', credits: 50 }] },
    dry_run: true,
  }),
  addDemo: note('Administration', 'Sets up what is missing of the demo, and a first key where there is none.'),
  exportSecrets: note('Administration', 'Writes the secrets of providers to a file, encrypted with a passphrase.', {
    file: '/backups/monday.db.secrets',
    passphrase: 'four words or more of yours',
  }),
  importSecrets: note('Administration', 'Gives providers the secrets of such a file.', {
    file: '/backups/monday.db.secrets',
    passphrase: 'four words or more of yours',
  }),
  moveSecrets: note('Administration', 'Brings the secrets of providers from the other store into the one in use.'),
  backUp: note('Administration', 'Writes a backup of the database to a file of this machine.', {
    file: '/backups/monday.db',
  }),

  listPresets: note('Providers', 'Lists the presets from which providers are made.'),
  listProviders: note('Providers', 'Lists the providers, without their secrets.'),
  addProvider: note('Providers', 'Adds an upstream account.', { name: 'openai', preset: 'openai', secret: 'sk-...' }),
  setProviderSecret: note('Providers', "Replaces a provider's secret.", { secret: 'sk-...' }),
  testProvider: note('Providers', 'Asks a provider whether it can be reached, and says what is wrong.'),
  listProviderModels: { ...note('Providers', 'Lists the models that a provider has.'), refusals: ASKING_REFUSALS },
  addProviderModels: {
    ...note('Providers', 'Adds models that a provider has.', { models: ['gpt-5.5'] }),
    refusals: ASKING_REFUSALS,
  },
  editProvider: note('Providers', 'Changes a provider. At another origin its secret is gone.', {
    limits: { concurrent_requests: 8 },
  }),
  removeProvider: note('Providers', 'Removes a provider and its secret.'),
  discover: note('Providers', 'Looks for model servers on this machine, and adds those that are asked for.', {
    add: ['ollama'],
  }),

  listModels: note('Models', 'Lists the models.'),
  addModel: note('Models', 'Adds a model with its price and targets.', {
    id: 'gpt-5.5',
    context_window: 272_000,
    max_output_tokens: 128_000,
    price: { input: 1.25, output: 10 },
    targets: [{ provider: 'openai', model: 'gpt-5.5' }],
  }),
  editModel: note('Models', 'Changes a model; targets are replaced as a whole.', {
    targets: [{ provider: 'openai', model: 'gpt-5.5' }],
  }),
  priceModel: note('Models', 'Sets the price of a model, in credits per million tokens.', { input: 1.25, output: 10 }),
  enableModel: note('Models', 'Lets a model be called.'),
  disableModel: note('Models', 'Keeps a model from being called and listed.'),
  removeModel: note('Models', 'Removes a model.'),

  priceCard: note('Prices', 'Compares the prices of the models with the price card.'),
  applyPriceCard: note('Prices', 'Gives models the prices of the card.', { version: 'v-1', ids: ['gpt-5.5'] }),

  listPackages: note('Packages', 'Lists the packages.'),
  addPackage: note('Packages', 'Adds a package, from which keys get credits and limits.', {
    name: 'team',
    type: 'monthly',
    credits: 50,
    limits: { requests_per_minute: 60 },
  }),
  editPackage: note('Packages', 'Changes a package; limits are replaced as a whole.', { credits: 80 }),
  removePackage: note('Packages', 'Removes a package that has no keys.'),

  listKeys: note('Keys', 'Lists the keys with their balances.'),
  createKey: note('Keys', 'Makes a key. Its value is in this answer and never again.', {
    name: 'laptop',
    package: 'team',
    expires: '90d',
  }),
  showKey: note('Keys', 'Shows a key with its balance.'),
  suspendKey: note('Keys', 'Stops a key until it is resumed.'),
  resumeKey: note('Keys', 'Lets a suspended key be used again.'),
  extendKey: note('Keys', 'Moves the day on which a key expires.', { expires: '90d' }),
  topUpKey: note('Keys', 'Adds credits to a key.', { credits: 25, reason: 'March', idempotency_id: 'invoice-17' }),
  adjustKey: note('Keys', 'Corrects the credits of a key.', { credits: -2.5, reason: 'Counted twice on 3 March' }),
  moveKey: note('Keys', 'Gives a key another package.', { package: 'big-team' }),
  rotateKey: note('Keys', 'Gives a key a new value. The old one works beside it for a while.', { overlap: '24h' }),
  revokeKey: note('Keys', 'Ends a key for good.'),

  usage: { ...note('Overview and usage', 'Lists calls, latest first.'), refusals: REPORT_REFUSALS },
  usageReport: { ...note('Overview and usage', 'Sums up the usage by group and time.'), refusals: REPORT_REFUSALS },
  overview: {
    ...note('Overview and usage', 'Shows the state, the credits, today, and what needs attention.'),
    refusals: REPORT_REFUSALS,
  },
  listWaiting: note(
    'Overview and usage',
    'Lists the calls that wait, with what they wait for, and counts those that run.',
  ),
  receipt: note('Overview and usage', 'Explains what one call cost.'),
  events: note('Overview and usage', 'Tells of calls and changes as they happen.'),
  tryIt: {
    ...note('Overview and usage', 'Makes a test request with a key and passes the answer on as it comes.', {
      key: 'laptop',
      endpoint: 'chat',
      request: { model: 'demo-chat', messages: [{ role: 'user', content: 'Hello' }] },
    }),
    refusals: [402, 424, 429, 502, 504],
  },

  listLedger: { ...note('Ledger', 'Lists the entries of the ledger, latest first.'), refusals: REPORT_REFUSALS },
  verifyLedger: note('Ledger', 'Recomputes every balance from the entries.'),
} as const satisfies Record<AdminAction | keyof typeof ADMIN_STREAMS, AdminNote>

function note(group: (typeof ADMIN_GROUPS)[number], summary: string, example?: object): AdminNote {
  return example === undefined ? { group, summary } : { group, summary, example }
}
