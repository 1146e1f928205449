import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '#renderer/components/button.tsx'
import { ConnectDialog } from '#renderer/pages/tools/ConnectDialog.tsx'
import { ToolState } from '#renderer/pages/tools/ToolState.tsx'
import { useTools } from '#renderer/pages/tools/use-tools.ts'

/** The tools of this machine that Farebox can connect, each with a key of its own. */
export function FoundTools() {
  const { t } = useTranslation('first-run')
  const { tools = [] } = useTools()
  const [chosen, setChosen] = useState<string>()
  const found = tools.filter(({ installed, ways }) => installed && ways.includes('connect'))
  const tool = found.find((one) => one.tool === chosen)
  return (
    <section aria-label={t('connect.found')} className="flex flex-col gap-3">
      <p>
        {t('connect.oneClick')}{' '}
        <Link to="/tools" className="text-accent underline">
          {t('connect.toTools')}
        </Link>
      </p>
      {found.length > 0 && (
        <ul className="flex flex-col gap-2">
          {found.map((one) => (
            <li key={one.tool} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
              <span className="font-medium">{one.name}</span>
              <span className="flex flex-wrap items-center gap-3">
                {one.state !== 'none' && <ToolState tool={one} />}
                <Button aria-label={t('connect.toolOf', { name: one.name })} onClick={() => setChosen(one.tool)}>
                  {t(one.state === 'none' ? 'connect.tool' : 'connect.again')}
                </Button>
              </span>
            </li>
          ))}
        </ul>
      )}
      {found.some(({ connected }) => connected) && (
        <Button look="primary" asChild className="self-start">
          <Link to="/overview">{t('arrive.done')}</Link>
        </Button>
      )}
      <p className="text-muted">{t('connect.byHand')}</p>
      {tool !== undefined && <ConnectDialog tool={tool} onClose={() => setChosen(undefined)} />}
    </section>
  )
}
