// Every page: its address below /app, its name in the navigation, and who sees it there. Addresses that an administrator alone may
// use are closed to members in the router too; what really keeps data apart is the server.

import {
  Activity,
  Boxes,
  Cable,
  Coins,
  FlaskConical,
  Gauge,
  KeyRound,
  List,
  Package,
  ScrollText,
  Settings,
  Users,
} from 'lucide-react'

export const PAGES = [
  { name: 'overview', path: '/overview', icon: Gauge, access: 'member' },
  { name: 'keys', path: '/keys', icon: KeyRound, access: 'member' },
  { name: 'packages', path: '/packages', icon: Package, access: 'member' },
  { name: 'models', path: '/models', icon: Boxes, access: 'administrator' },
  { name: 'providers', path: '/providers', icon: Cable, access: 'administrator' },
  { name: 'members', path: '/members', icon: Users, access: 'administrator' },
  { name: 'usage', path: '/usage', icon: Activity, access: 'member' },
  { name: 'requests', path: '/requests', icon: List, access: 'member' },
  { name: 'ledger', path: '/ledger', icon: Coins, access: 'member' },
  { name: 'try', path: '/try', icon: FlaskConical, access: 'member' },
  { name: 'audit', path: '/audit', icon: ScrollText, access: 'administrator' },
  { name: 'settings', path: '/settings', icon: Settings, access: 'member' },
] as const

export type Page = (typeof PAGES)[number]
export type Role = 'administrator' | 'member'

export function pagesFor(role: Role): readonly Page[] {
  return PAGES.filter((page) => page.access === 'member' || role === 'administrator')
}
