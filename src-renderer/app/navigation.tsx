import { Link } from '@tanstack/react-router'
import { Ellipsis } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { Page } from '#renderer/app/page-list.ts'
import { Menu, MenuItem } from '#renderer/components/menu.tsx'

/** As many as fit beside `More` at 420 px. */
const BOTTOM_PAGES = 4

type NavigationProps = { readonly pages: readonly Page[]; readonly onOpen: (page: Page) => void }

/** Icons and words at the side; on narrow windows a bar at the bottom, the rest behind `More`. */
export function Navigation({ pages, onOpen }: NavigationProps) {
  const { t } = useTranslation('common')
  const rest = pages.filter((page) => !isInBar(page, pages))
  return (
    <nav
      aria-label={t('navigation')}
      className="fixed inset-x-0 bottom-0 z-30 border-t border-line bg-surface sm:sticky sm:inset-x-auto sm:top-0 sm:h-dvh sm:w-14 sm:shrink-0 sm:overflow-y-auto sm:border-t-0 sm:border-r md:w-48"
    >
      <p className="hidden h-14 items-center gap-2 px-4 text-base font-semibold sm:flex">
        <Mark />
        <span className="max-md:sr-only">Farebox</span>
      </p>
      <ul className="flex justify-around sm:block sm:space-y-0.5 sm:px-2 sm:pb-4">
        {pages.map((page) => (
          <li key={page.name} className={isInBar(page, pages) ? '' : 'max-sm:hidden'}>
            <Link
              to={page.path}
              title={t(`pages.${page.name}`)}
              className="flex flex-col items-center gap-0.5 rounded-md px-2 py-2 text-xs text-muted hover:bg-sunken hover:text-ink sm:h-9 sm:flex-row sm:gap-3 sm:px-3 sm:py-0 sm:text-sm [&_svg]:size-4 [&_svg]:shrink-0"
              activeProps={{ className: 'bg-accent-soft! text-accent! font-medium' }}
            >
              <page.icon aria-hidden />
              <span className="sm:max-md:sr-only">{t(`pages.${page.name}`)}</span>
            </Link>
          </li>
        ))}
        <li className={rest.length === 0 ? 'hidden' : 'sm:hidden'}>
          <Menu
            trigger={
              <button
                type="button"
                className="flex flex-col items-center gap-0.5 rounded-md px-2 py-2 text-xs text-muted"
              >
                <Ellipsis aria-hidden className="size-4" />
                {t('more')}
              </button>
            }
          >
            {rest.map((page) => (
              <MenuItem key={page.name} onSelect={() => onOpen(page)}>
                <page.icon aria-hidden />
                {t(`pages.${page.name}`)}
              </MenuItem>
            ))}
          </Menu>
        </li>
      </ul>
    </nav>
  )
}

function isInBar(page: Page, pages: readonly Page[]): boolean {
  const first = pages.filter(({ name }) => ['overview', 'own-key', 'keys', 'usage', 'requests'].includes(name))
  return first.slice(0, BOTTOM_PAGES).includes(page)
}

/** The box with its slot and the coin half-way in. */
export function Mark() {
  return (
    <svg aria-hidden viewBox="0 0 24 24" className="size-5 shrink-0">
      <path d="M7.5 8a4.5 4.5 0 0 1 9 0z" className="fill-amber" />
      <path
        fillRule="evenodd"
        d="M6 8h12a4 4 0 0 1 4 4v6a4 4 0 0 1-4 4H6a4 4 0 0 1-4-4v-6a4 4 0 0 1 4-4zm1 3v2h10v-2z"
        className="fill-accent"
      />
    </svg>
  )
}
