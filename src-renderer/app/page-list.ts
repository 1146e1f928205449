// Every page: its address below /app, its name in the navigation, and who sees it there. Addresses that somebody
// may not use are closed to them in the router too; what really keeps data apart is the server.

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
  Plug,
  ReceiptText,
  ScrollText,
  Settings,
  Users,
} from 'lucide-react'
import { isOverLan } from '#renderer/data/over-lan.ts'

export type Role = 'administrator' | 'member' | 'holder'

const ADMINISTRATORS: readonly Role[] = ['administrator']
const PEOPLE: readonly Role[] = ['administrator', 'member']
/** Also whoever signed in with a key alone. */
const ALL: readonly Role[] = ['administrator', 'member', 'holder']
const HOLDERS: readonly Role[] = ['holder']

export const PAGES = [
  { name: 'own-key', path: '/own-key', icon: KeyRound, access: HOLDERS },
  { name: 'overview', path: '/overview', icon: Gauge, access: PEOPLE },
  { name: 'keys', path: '/keys', icon: KeyRound, access: PEOPLE },
  { name: 'packages', path: '/packages', icon: Package, access: PEOPLE },
  { name: 'models', path: '/models', icon: Boxes, access: ADMINISTRATORS },
  { name: 'providers', path: '/providers', icon: Cable, access: ADMINISTRATORS },
  { name: 'tools', path: '/tools', icon: Plug, access: ADMINISTRATORS },
  { name: 'members', path: '/members', icon: Users, access: ADMINISTRATORS },
  { name: 'usage', path: '/usage', icon: Activity, access: ALL },
  { name: 'requests', path: '/requests', icon: List, access: ALL },
  { name: 'ledger', path: '/ledger', icon: Coins, access: PEOPLE },
  { name: 'bills', path: '/bills', icon: ReceiptText, access: ADMINISTRATORS },
  { name: 'try', path: '/try', icon: FlaskConical, access: PEOPLE },
  { name: 'audit', path: '/audit', icon: ScrollText, access: ADMINISTRATORS },
  { name: 'settings', path: '/settings', icon: Settings, access: PEOPLE },
] as const

export type Page = (typeof PAGES)[number]

export function pagesFor(role: Role): readonly Page[] {
  // Tools are edited on the machine that Farebox runs on, and by nobody from afar.
  return PAGES.filter(({ name, access }) => access.includes(role) && !(name === 'tools' && isOverLan()))
}
