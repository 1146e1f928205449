// How this browser shows the dashboard: colours and density. `theme.js` applies the same values before the first paint.

import { useSyncExternalStore } from 'react'

export const THEMES = ['system', 'light', 'dark'] as const
export const DENSITIES = ['dense', 'comfortable'] as const
export type Theme = (typeof THEMES)[number]
export type Density = (typeof DENSITIES)[number]

const listeners = new Set<() => void>()
let whenChosen: (theme: Theme) => void = () => undefined
const prefersDark = matchMedia('(prefers-color-scheme: dark)')

export function startPreferences(): void {
  prefersDark.addEventListener('change', apply)
  // Another tab may change them.
  addEventListener('storage', apply)
  apply()
}

export function useTheme(): readonly [Theme, (theme: Theme) => void] {
  return [useSyncExternalStore(subscribe, storedTheme), chooseTheme]
}

/** What else is to be done when somebody chooses colours. */
export function onThemeChosen(handler: (theme: Theme) => void): void {
  whenChosen = handler
}

/** As if it had been chosen here. */
export function showTheme(theme: Theme): void {
  store('farebox-theme', theme)
}

function chooseTheme(theme: Theme): void {
  showTheme(theme)
  whenChosen(theme)
}

export function useDensity(): readonly [Density, (density: Density) => void] {
  return [useSyncExternalStore(subscribe, storedDensity), (density) => store('farebox-density', density)]
}

function storedTheme(): Theme {
  const stored = localStorage.getItem('farebox-theme')
  return THEMES.find((theme) => theme === stored) ?? 'system'
}

function storedDensity(): Density {
  const stored = localStorage.getItem('farebox-density')
  return DENSITIES.find((density) => density === stored) ?? 'dense'
}

function store(name: string, value: string): void {
  localStorage.setItem(name, value)
  apply()
}

function apply(): void {
  const theme = storedTheme()
  const isDark = theme === 'dark' || (theme === 'system' && prefersDark.matches)
  document.documentElement.dataset['theme'] = isDark ? 'dark' : 'light'
  document.documentElement.dataset['density'] = storedDensity()
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
