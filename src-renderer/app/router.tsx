// Every address of the dashboard. A page's code and words are fetched when it is first opened or pointed at.

import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { loadSession } from '#renderer/api/session.ts'
import { sessionToken } from '#renderer/api/session-token.ts'
import { PageFailure, PageLoading, PageNotFound } from '#renderer/app/failures.tsx'
import { showKeptView } from '#renderer/app/kept-view.ts'
import type { Role } from '#renderer/app/page-list.ts'
import { forgetAskedPage } from '#renderer/app/ticket.ts'
import { Shell } from '#renderer/app/shell.tsx'
import { again } from '#renderer/data/again.ts'
import { loadCatalogue } from '#renderer/i18n/catalogues.ts'
import { parseSearch as parseAuditSearch } from '#renderer/pages/audit/search.ts'
import { parseSearch as parseFirstRunSearch } from '#renderer/pages/first-run/search.ts'
import { parseSearch as parseKeysSearch } from '#renderer/pages/keys/search.ts'
import { parseSearch as parseLedgerSearch } from '#renderer/pages/ledger/search.ts'
import { parseSearch as parseLinkSearch } from '#renderer/pages/link/search.ts'
import { parseSearch as parseMembersSearch } from '#renderer/pages/members/search.ts'
import { parseSearch as parseModelsSearch } from '#renderer/pages/models/search.ts'
import { parseSearch as parseOverviewSearch } from '#renderer/pages/overview/search.ts'
import { parseSearch as parsePackagesSearch } from '#renderer/pages/packages/search.ts'
import { parseSearch as parseProvidersSearch } from '#renderer/pages/providers/search.ts'
import { parseSearch as parseRequestsSearch } from '#renderer/pages/requests/search.ts'
import { parseSearch as parseSettingsSearch } from '#renderer/pages/settings/search.ts'
import { parseSearch as parseBillsSearch } from '#renderer/pages/bills/search.ts'
import { parseSearch as parseToolsSearch } from '#renderer/pages/tools/search.ts'
import { parseSearch as parseTrySearch } from '#renderer/pages/try/search.ts'
import { parseSearch as parseUsageSearch } from '#renderer/pages/usage/search.ts'

/** A page whose code is fetched when it is first needed. */
function pageOf<Name extends string>(fetchCode: () => Promise<Readonly<Record<Name, () => ReactNode>>>, name: Name) {
  return lazyRouteComponent<Readonly<Record<string, () => ReactNode>>, string>(() => again(fetchCode), name)
}

type Context = { readonly queryClient: QueryClient }

const root = createRootRouteWithContext<Context>()({ notFoundComponent: PageNotFound })

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  loader: () => loadCatalogue('sign-in'),
  component: pageOf(() => import('#renderer/pages/sign-in/SignInPage.tsx'), 'SignInPage'),
})

const invite = createRoute({
  getParentRoute: () => root,
  path: '/invite',
  loader: () => loadCatalogue('invite'),
  component: pageOf(() => import('#renderer/pages/invite/InvitePage.tsx'), 'InvitePage'),
})

const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  beforeLoad: async ({ context }) => {
    if (sessionToken() === undefined) throw redirect({ to: '/sign-in' })
    const session = await loadSession(context.queryClient)
    await showKeptView(session)
    forgetAskedPage()
    return { session }
  },
  component: Shell,
})

type PageContext = { readonly context: { readonly session: { readonly role: Role } } }

/** Members and holders of a key are led to what is theirs; the server would refuse the rest anyway. */
function administratorsOnly({ context }: PageContext): void {
  if (context.session.role !== 'administrator') throw redirect({ to: '/overview' })
}

function peopleOnly({ context }: PageContext): void {
  if (context.session.role === 'holder') throw redirect({ to: '/own-key' })
}

function holdersOnly({ context }: PageContext): void {
  if (context.session.role !== 'holder') throw redirect({ to: '/overview' })
}

const home = createRoute({
  getParentRoute: () => shell,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/overview' })
  },
})
const overview = createRoute({
  getParentRoute: () => shell,
  path: '/overview',
  validateSearch: parseOverviewSearch,
  beforeLoad: peopleOnly,
  loader: () => loadCatalogue('overview'),
  component: pageOf(() => import('#renderer/pages/overview/OverviewPage.tsx'), 'OverviewPage'),
})
const ownKey = createRoute({
  getParentRoute: () => shell,
  path: '/own-key',
  beforeLoad: holdersOnly,
  loader: () => loadCatalogue('keys'),
  component: pageOf(() => import('#renderer/pages/own-key/OwnKeyPage.tsx'), 'OwnKeyPage'),
})
const keys = createRoute({
  getParentRoute: () => shell,
  path: '/keys',
  validateSearch: parseKeysSearch,
  beforeLoad: peopleOnly,
  loader: () => loadCatalogue('keys'),
  component: pageOf(() => import('#renderer/pages/keys/KeysPage.tsx'), 'KeysPage'),
})
const packages = createRoute({
  getParentRoute: () => shell,
  path: '/packages',
  validateSearch: parsePackagesSearch,
  beforeLoad: peopleOnly,
  loader: () => loadCatalogue('packages'),
  component: pageOf(() => import('#renderer/pages/packages/PackagesPage.tsx'), 'PackagesPage'),
})
const models = createRoute({
  getParentRoute: () => shell,
  path: '/models',
  validateSearch: parseModelsSearch,
  beforeLoad: administratorsOnly,
  loader: () => loadCatalogue('models'),
  component: pageOf(() => import('#renderer/pages/models/ModelsPage.tsx'), 'ModelsPage'),
})
const providers = createRoute({
  getParentRoute: () => shell,
  path: '/providers',
  validateSearch: parseProvidersSearch,
  beforeLoad: administratorsOnly,
  // What is left on their accounts, and what they say was spent, is in the words of bills.
  loader: () => Promise.all([loadCatalogue('providers'), loadCatalogue('bills')]),
  component: pageOf(() => import('#renderer/pages/providers/ProvidersPage.tsx'), 'ProvidersPage'),
})
const tools = createRoute({
  getParentRoute: () => shell,
  path: '/tools',
  validateSearch: parseToolsSearch,
  beforeLoad: administratorsOnly,
  loader: () => loadCatalogue('tools'),
  component: pageOf(() => import('#renderer/pages/tools/ToolsPage.tsx'), 'ToolsPage'),
})
const bills = createRoute({
  getParentRoute: () => shell,
  path: '/bills',
  validateSearch: parseBillsSearch,
  beforeLoad: administratorsOnly,
  loader: () => loadCatalogue('bills'),
  component: pageOf(() => import('#renderer/pages/bills/BillsPage.tsx'), 'BillsPage'),
})
const members = createRoute({
  getParentRoute: () => shell,
  path: '/members',
  validateSearch: parseMembersSearch,
  beforeLoad: administratorsOnly,
  loader: () => loadCatalogue('members'),
  component: pageOf(() => import('#renderer/pages/members/MembersPage.tsx'), 'MembersPage'),
})
const usage = createRoute({
  getParentRoute: () => shell,
  path: '/usage',
  validateSearch: parseUsageSearch,
  loader: () => loadCatalogue('usage'),
  component: pageOf(() => import('#renderer/pages/usage/UsagePage.tsx'), 'UsagePage'),
})
const requests = createRoute({
  getParentRoute: () => shell,
  path: '/requests',
  validateSearch: parseRequestsSearch,
  loader: () => loadCatalogue('requests'),
  component: pageOf(() => import('#renderer/pages/requests/RequestsPage.tsx'), 'RequestsPage'),
})
const ledger = createRoute({
  getParentRoute: () => shell,
  path: '/ledger',
  validateSearch: parseLedgerSearch,
  beforeLoad: peopleOnly,
  loader: () => loadCatalogue('ledger'),
  component: pageOf(() => import('#renderer/pages/ledger/LedgerPage.tsx'), 'LedgerPage'),
})
const tryIt = createRoute({
  getParentRoute: () => shell,
  path: '/try',
  validateSearch: parseTrySearch,
  beforeLoad: peopleOnly,
  loader: () => loadCatalogue('try'),
  component: pageOf(() => import('#renderer/pages/try/TryPage.tsx'), 'TryPage'),
})
const audit = createRoute({
  getParentRoute: () => shell,
  path: '/audit',
  validateSearch: parseAuditSearch,
  beforeLoad: administratorsOnly,
  loader: () => loadCatalogue('audit'),
  component: pageOf(() => import('#renderer/pages/audit/AuditPage.tsx'), 'AuditPage'),
})
const settings = createRoute({
  getParentRoute: () => shell,
  path: '/settings',
  validateSearch: parseSettingsSearch,
  beforeLoad: peopleOnly,
  loader: () => loadCatalogue('settings'),
  component: pageOf(() => import('#renderer/pages/settings/SettingsPage.tsx'), 'SettingsPage'),
})
const firstRun = createRoute({
  getParentRoute: () => shell,
  path: '/first-run',
  validateSearch: parseFirstRunSearch,
  beforeLoad: administratorsOnly,
  loader: () => Promise.all([loadCatalogue('first-run'), loadCatalogue('tools')]),
  component: pageOf(() => import('#renderer/pages/first-run/FirstRunPage.tsx'), 'FirstRunPage'),
})
const link = createRoute({
  getParentRoute: () => shell,
  path: '/link',
  validateSearch: parseLinkSearch,
  beforeLoad: administratorsOnly,
  // The form of a provider has the words of its own page.
  loader: () => Promise.all([loadCatalogue('link'), loadCatalogue('providers')]),
  component: pageOf(() => import('#renderer/pages/link/LinkPage.tsx'), 'LinkPage'),
})

const welcome = createRoute({
  getParentRoute: () => shell,
  path: '/welcome',
  // The form of a key has the words of its own page.
  loader: () => Promise.all([loadCatalogue('welcome'), loadCatalogue('keys')]),
  component: pageOf(() => import('#renderer/pages/welcome/WelcomePage.tsx'), 'WelcomePage'),
})

const routeTree = root.addChildren([
  signIn,
  invite,
  shell.addChildren([
    home,
    overview,
    ownKey,
    keys,
    packages,
    models,
    providers,
    tools,
    bills,
    members,
    usage,
    requests,
    ledger,
    tryIt,
    audit,
    settings,
    firstRun,
    link,
    welcome,
  ]),
])

export function createAppRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree,
    basepath: '/app',
    context: { queryClient },
    defaultPreload: 'intent',
    defaultErrorComponent: PageFailure,
    defaultNotFoundComponent: PageNotFound,
    defaultPendingComponent: PageLoading,
    scrollRestoration: true,
  })
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>
  }
}
